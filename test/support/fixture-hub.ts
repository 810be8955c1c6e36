import { runHub } from "@hub/cli";
import { fixture } from "./fixture-connector.ts";

/** The hub with the fixture connector, which is passed to `runHub`. */
await runHub({ connectors: [fixture] });
