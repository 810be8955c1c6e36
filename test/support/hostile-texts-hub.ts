import { runHub } from "@hub/cli";
import { hostileTexts } from "./hostile-texts-connector.ts";

/** The hub with a connector whose every text is markup. */
await runHub({ connectors: [hostileTexts] });
