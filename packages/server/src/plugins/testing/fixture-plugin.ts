import { serve } from "@hub/connector/plugin";
import { fixtureConnector } from "./fixture-connector.ts";

await serve(fixtureConnector);
