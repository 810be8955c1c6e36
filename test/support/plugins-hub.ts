import { runHub } from "@hub/cli";
import { codehost } from "../../plugins/codehost/src/connector.ts";
import { logs } from "../../plugins/logs/src/connector.ts";

/** The hub with the connectors of this checkout's plugins, in its own process. */
await runHub({ connectors: [codehost, logs] });
