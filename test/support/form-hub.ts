import { runHub } from "@hub/cli";
import { formConnector } from "./form-connector.ts";
import { serveCommands } from "./serve-commands.ts";

/** The hub with a connector that has every widget. With a channel to its parent process it runs commands. */
await (process.send === undefined
  ? runHub({ connectors: [formConnector] })
  : serveCommands([formConnector]));
