import { runHub } from "@hub/cli";
import { codehost } from "../../plugins/codehost/src/connector.ts";
import { logs } from "../../plugins/logs/src/connector.ts";
import { serveCommands } from "./serve-commands.ts";

/** The hub with the connectors of this checkout's plugins, in its own process. */
const connectors = [codehost, logs];
await (process.send === undefined ? runHub({ connectors }) : serveCommands(connectors));
