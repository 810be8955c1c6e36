import { describe, expect, test } from "bun:test";
import { toKysely } from "../database/kysely.ts";
import { newFinishedRun } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { findHeldSince, listRunHolders, purgeHeldBytes, purgeRunsOfUser } from "./run-holders.ts";
import { countRunHours } from "./run-hours.ts";

/** The bytes of runs by user. */
export function describeRunHolders(stores: () => TestStores): void {
  describe("who holds the runs", () => {
    const at = 1_000 * 24 * 3_600_000;
    const insertOf = (userId: string, endedAt: number) =>
      stores().store.runs.insertFinished(
        newFinishedRun({
          id: Bun.randomUUIDv7("hex", endedAt),
          userId,
          startedAt: endedAt,
          endedAt,
          request: '{"a":"eight"}',
        }),
      );

    test("Runs are counted for their users, and what is purged of one is taken from both counts", async () => {
      const { db } = stores().store;
      for (const hour of [0, 1, 30]) await insertOf("u-much", at + hour * 3_600_000);
      await insertOf("u-little", at);
      await countRunHours(db, { endedBefore: at + 40 * 3_600_000 });
      expect(await findHeldSince(db)).toBe(at);
      const [much, little] = await listRunHolders(db, { limit: 2 });
      expect([much?.userId, little?.userId]).toEqual(["u-much", "u-little"]);
      const ofOne = little?.bytes ?? 0;
      expect(much?.bytes).toBe(3 * ofOne);

      const given = { userId: "u-much", endedBefore: at + 20 * 3_600_000, limit: 1 };
      const first = await purgeRunsOfUser(db, { ...given, after: null });
      expect(first).toMatchObject({ count: 1, bytes: ofOne });
      const second = await purgeRunsOfUser(db, { ...given, after: first.lastId, limit: 10 });
      expect(second).toMatchObject({ count: 1, bytes: ofOne });
      expect(await listRunHolders(db, { limit: 2 })).toEqual([
        { userId: "u-little", bytes: ofOne },
        { userId: "u-much", bytes: ofOne },
      ]);
      const hours = await toKysely(db)
        .selectFrom("run_bytes")
        .selectAll()
        .orderBy("hour")
        .execute();
      expect(hours.map(({ bytes }) => bytes)).toEqual([ofOne, 0, ofOne]);
      await purgeHeldBytes(db, { endedBefore: at + 24 * 3_600_000 });
      expect(await listRunHolders(db, { limit: 2 })).toEqual([{ userId: "u-much", bytes: ofOne }]);
    });
  });
}
