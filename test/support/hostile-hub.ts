import { runHub } from "@hub/cli";
import { hostile } from "./hostile-connector.ts";
import { serveCommands } from "./serve-commands.ts";

/** The hub with the hostile connector. With a channel to its parent process it runs commands. */
await (process.send === undefined ? runHub({ connectors: [hostile] }) : serveCommands([hostile]));
