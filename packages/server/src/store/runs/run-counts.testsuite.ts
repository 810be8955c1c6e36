import { describe, expect, test } from "bun:test";
import type { newFinishedRun } from "../test-data.ts";
import { fillRuns, insertFinishedRun, toIdAt } from "../testing/fill-runs.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { countRuns } from "./run-counts.ts";
import { runsScannedMax } from "./run-scans.ts";

/** The counts of the newest runs that match a filter. */
export function describeRunCounts(stores: () => TestStores): void {
  const insert = (given: Parameters<typeof newFinishedRun>[0]) =>
    insertFinishedRun(stores().store, given);

  describe("counts of the newest runs", () => {
    test("Runs that match a filter are counted by the hour in which they began and by status", async () => {
      const at = 1_700_000_000_000;
      const hour = Math.floor(at / 3_600_000) * 3_600_000;
      const add = (ms: number, given: Parameters<typeof newFinishedRun>[0] = {}) =>
        insert({ id: toIdAt(hour + ms), connectorId: "counted", ...given });
      await add(0);
      await add(1, { status: "error" });
      await add(3_599_999);
      await add(3_600_000, { status: "denied" });
      await add(3 * 3_600_000, { operationKey: "other" });
      const { db } = stores().store;
      const filter = { connectorId: "counted", operationKey: "get" };
      const { operationKey } = await insert({ connectorId: "none" });
      const found = await countRuns(db, { ...filter, operationKey });
      expect(found).toEqual({
        hours: [
          { at: hour, byStatus: { success: 2, error: 1 } },
          { at: hour + 3_600_000, byStatus: { denied: 1 } },
        ],
        stoppedAt: null,
      });
      const bounded = await countRuns(db, {
        connectorId: "counted",
        startedFrom: hour + 3_600_000,
      });
      expect(bounded.hours.map(({ at: began }) => (began - hour) / 3_600_000)).toEqual([1, 3]);
      expect(await countRuns(db, { connectorKey: "absent" })).toEqual({
        hours: [],
        stoppedAt: null,
      });
    });

    test("Runs that fill the portions of a scan exactly are all counted, each once", async () => {
      const { db } = stores().store;
      await fillRuns(db, "counted-exactly", 2_000);
      const { hours, stoppedAt } = await countRuns(db, { connectorId: "counted-exactly" });
      const counted = hours.reduce((sum, { byStatus }) => sum + (byStatus.success ?? 0), 0);
      expect([counted, stoppedAt]).toEqual([2_000, null]);
    });

    test("A count scans a bounded number of runs and names the time at which it stopped", async () => {
      const { db } = stores().store;
      const before = Date.now();
      await fillRuns(db, "counted-busy", runsScannedMax + 10);
      const { hours, stoppedAt } = await countRuns(db, { connectorId: "counted-busy" });
      const counted = hours.reduce((sum, { byStatus }) => sum + (byStatus.success ?? 0), 0);
      expect(counted).toBe(runsScannedMax);
      expect(stoppedAt).toBeGreaterThanOrEqual(before);
      expect(stoppedAt).toBeLessThanOrEqual(Date.now());
    });
  });
}
