import { runHub } from "@hub/cli";
import { fixture } from "./fixture-connector.ts";

/** The hub with the fixture connector mounted through the library entry. */
await runHub({ connectors: [fixture] });
