import { runHub } from "@hub/cli";
import { hostile } from "./hostile-connector.ts";

/** The hub with a connector that keeps none of its promises. */
await runHub({ connectors: [hostile] });
