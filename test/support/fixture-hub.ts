import { runHub } from "@hub/cli";
import { fixture } from "./fixture-connector.ts";
import { serveCommands } from "./serve-commands.ts";

/** The hub with the fixture connector, which is passed to `runHub`. With a channel to its parent process it runs commands. */
await (process.send === undefined ? runHub({ connectors: [fixture] }) : serveCommands([fixture]));
