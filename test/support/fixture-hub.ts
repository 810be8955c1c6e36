import { runHub } from "@hub/cli";
import { fixture } from "./fixture-connector.ts";
import { readingFixture } from "./reading-fixture.ts";

/** The hub with the fixture connector, which is passed to `runHub`. With `FIXTURE_READS`, its operations are marked. */
await runHub({ connectors: [process.env.FIXTURE_READS === "1" ? readingFixture : fixture] });
