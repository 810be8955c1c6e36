import { serve } from "@hub/connector/plugin";
import { codehost } from "./connector.ts";

await serve(codehost);
