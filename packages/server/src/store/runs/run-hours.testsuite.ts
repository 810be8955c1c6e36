import { describe, expect, test } from "bun:test";
import type { newFinishedRun } from "../test-data.ts";
import { fillRuns, insertFinishedRun } from "../testing/fill-runs.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { countRunHours, purgeRunHours, sumRunHours } from "./run-hours.ts";

/** Statistics of runs by the hour. */
export function describeRunHours(stores: () => TestStores): void {
  const insert = (given: Parameters<typeof newFinishedRun>[0]) =>
    insertFinishedRun(stores().store, given);

  describe("statistics by the hour", () => {
    test("Statistics count each run once, even if several processes count", async () => {
      const hour = 3_600_000;
      const ended = [0, 1, hour - 1, hour, 2 * hour];
      for (const endedAt of ended) await insert({ connectorId: "c-9", endedAt, latencyMs: 10 });
      await insert({ connectorId: null, endedAt: 5, latencyMs: 7, status: "error" });
      const another = await stores().openAnother();
      const bound = { endedBefore: 2 * hour };
      await Promise.all([
        countRunHours(stores().store.db, bound),
        countRunHours(another.db, bound),
      ]);
      await countRunHours(another.db, bound);

      const { byHour, byRow } = await sumRunHours(another.db, { from: 0, to: hour });
      const inOrder = byHour.toSorted((one, other) => one.at - other.at || one.runs - other.runs);
      expect(inOrder).toEqual([
        { at: 0, status: "error", runs: 1, latencyMs: 7 },
        { at: 0, status: "success", runs: 3, latencyMs: 30 },
        { at: hour, status: "success", runs: 1, latencyMs: 10 },
      ]);
      expect(byRow.toSorted((one, other) => one.runs - other.runs)).toEqual([
        { connectorId: null, status: "error", runs: 1, latencyMs: 7 },
        { connectorId: "c-9", status: "success", runs: 4, latencyMs: 40 },
      ]);
      await purgeRunHours(another.db, { endedBefore: hour });
      const nothing = { byHour: [], byRow: [] };
      expect(await sumRunHours(another.db, { from: 0, to: 0 })).toEqual(nothing);
    });

    test("Statistics of many weeks are complete, also those of one row", async () => {
      const { db } = stores().store;
      const week = 7 * 24 * 3_600_000;
      for (let at = 0; at < 4; at++) {
        for (const connectorId of ["c-1", "c-2"]) {
          await insert({ connectorId, endedAt: at * week, latencyMs: 10 });
        }
      }
      await countRunHours(db, { endedBefore: 5 * week });
      const all = await sumRunHours(db, { from: 0, to: 3 * week });
      expect(all.byHour.map(({ at, runs }) => [at / week, runs])).toEqual([
        ...[0, 1, 2, 3].map((at) => [at, 2]),
      ]);
      expect(all.byRow.map(({ runs, latencyMs }) => [runs, latencyMs])).toEqual([
        [4, 40],
        [4, 40],
      ]);
      const one = await sumRunHours(db, { from: week, to: 3 * week - 1, connectorId: "c-2" });
      expect(one.byRow).toEqual([
        { connectorId: "c-2", status: "success", runs: 2, latencyMs: 20 },
      ]);
      expect(one.byHour.map(({ at, runs }) => [at / week, runs])).toEqual([
        [1, 1],
        [2, 1],
      ]);
    });

    test("Runs are counted in batches until none is left", async () => {
      const { db } = stores().store;
      const at = 10_000 * 3_600_000;
      await countRunHours(db, { endedBefore: at });
      await fillRuns(db, "many", 12_000, at);
      let steps = 0;
      for (let isAll = false; !isAll; steps++) {
        ({ isAll } = await countRunHours(db, { endedBefore: at + 12_000 }));
      }
      expect(steps).toBe(3);
      const { byRow } = await sumRunHours(db, { from: at, to: at, connectorId: "many" });
      expect(byRow.map(({ runs }) => runs)).toEqual([12_000]);
    });
  });
}
