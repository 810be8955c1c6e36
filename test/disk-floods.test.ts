/**
 * Protects: a stranger who sends large webhooks fills neither the disk beyond its floor nor more of it than their workflow
 * may store, and another user's reads and calls go on. The others of `scripts/disk-floods.ts` take longer.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { floods } from "../scripts/disk-floods/floods.ts";
import { canMount } from "../scripts/disk-floods/small-disk.ts";
import { tryFlood } from "../scripts/disk-floods/try-flood.ts";
import { describeOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const skipReason = canMount ? "" : " (skipped: only root can mount a small disk, and on Linux)";
const [, limited, unlimited] = floods;
if (!limited || !unlimited) throw new Error("There are no floods of webhooks.");
const options = { floorMiB: 32, seconds: 60 };

describeOnSqlite("databaseFile", "a flood of webhook bodies", () => {
  test.skipIf(!canMount)(`ends at the bytes of its workflow${skipReason}`, async () => {
    const { writtenMiB, refusals, calls, faults } = await tryFlood(limited, {
      ...options,
      diskMiB: 256,
      endsAtRefusalOf: "flood",
    });
    expect(faults).toEqual([]);
    expect(refusals).toBeGreaterThan(0);
    expect(calls).toEqual({ made: expect.any(Number), refusedForSpace: 0 });
    // The database writes to its log first.
    expect(writtenMiB).toBeLessThan(160);
  });

  test.skipIf(!canMount)(`ends at the floor of the disk${skipReason}`, async () => {
    const { leastFreeMiB, calls, faults } = await tryFlood(unlimited, {
      ...options,
      diskMiB: 96,
      endsAtRefusalOf: "user",
    });
    expect(faults).toEqual([]);
    expect(calls.refusedForSpace).toBeGreaterThan(0);
    expect(leastFreeMiB).toBeGreaterThan(24);
  });
});
