import { runHub } from "@hub/cli";
import { hostile } from "./hostile-connector.ts";

/** The hub with the hostile connector. */
await runHub({ connectors: [hostile] });
