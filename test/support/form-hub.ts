import { runHub } from "@hub/cli";
import { formConnector } from "./form-connector.ts";

/** The hub with a connector that has every widget. */
await runHub({ connectors: [formConnector] });
