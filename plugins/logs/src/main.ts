import { serve } from "@hub/connector/plugin";
import { logs } from "./connector.ts";

await serve(logs);
