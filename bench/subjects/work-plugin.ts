import { serve } from "@hub/connector/plugin";
import { defineWork } from "./work-connector.ts";

await serve(defineWork("work"));
