import { serve } from "@hub/connector/plugin";
import { fixture } from "./fixture-connector.ts";

/** The fixture connector as a plugin. */
await serve(fixture);
