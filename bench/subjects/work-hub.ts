// A hub with the work connector compiled in, like that of a downstream project.
import { runHub } from "../../packages/cli/src/run-hub.ts";
import { defineWork } from "./work-connector.ts";

await runHub({ connectors: [defineWork("compiled_work")] });
