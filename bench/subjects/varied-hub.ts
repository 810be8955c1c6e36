// A hub with 200 connectors of 50 operations each, like that of a company with many services.
import { runHub } from "../../packages/cli/src/run-hub.ts";
import { defineVaried } from "./varied-connectors.ts";

await runHub({ connectors: defineVaried() });
