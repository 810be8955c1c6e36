import { describe, expect, test } from "bun:test";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { claimJob, listWaitingJobs, releaseJob, renewJobClaim } from "./job-claims.ts";
import {
  insertRequestCancellation,
  listRequestCancellations,
  removeOldRequestCancellations,
} from "./request-cancellations.ts";

const hourMs = 3_600_000;

/** What several servers of one database agree on. */
export function describeServers(stores: () => TestStores): void {
  describe("claims of periodic jobs", () => {
    const claim = (holder: string, everyMs = hourMs) => ({ name: "purge", holder, everyMs });

    test("Of claims at the same time one succeeds, and later ones fail while it lasts", async () => {
      const { store, openAnother } = stores();
      const { db: other } = await openAnother();
      const holders = Array.from({ length: 8 }, (_, index) => `holder ${index}`);
      const claims = await Promise.all(
        holders.map((holder, index) => claimJob(index % 2 ? store.db : other, claim(holder, 0))),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await claimJob(other, claim("later", 0))).toBe(false);
      expect(await listWaitingJobs(other)).toEqual(["purge"]);
    });

    test("A finished job waits for its period, an unfinished one is due at once", async () => {
      const { db } = stores().store;
      expect(await claimJob(db, claim("a"))).toBe(true);
      await releaseJob(db, { ...claim("a"), isFinished: true });
      expect([await claimJob(db, claim("b")), await listWaitingJobs(db)]).toEqual([
        false,
        ["purge"],
      ]);
      expect(await claimJob(db, { ...claim("a"), name: "count" })).toBe(true);
      await releaseJob(db, { name: "count", holder: "a", isFinished: false });
      expect(await listWaitingJobs(db)).toEqual(["purge"]);
      expect(await claimJob(db, { ...claim("b"), name: "count" })).toBe(true);
    });

    test("An expired claim cannot be renewed, and its end does not end the next one", async () => {
      const { db } = stores().store;
      await claimJob(db, claim("paused"));
      expect(await renewJobClaim(db, claim("paused"))).toBe(true);
      await runSql(db, "update periodic_jobs set held_until = 1");
      expect(await renewJobClaim(db, claim("paused"))).toBe(false);
      expect(await listWaitingJobs(db)).toEqual([]);
      expect(await claimJob(db, claim("next"))).toBe(true);
      await releaseJob(db, { ...claim("paused"), isFinished: false });
      expect(await renewJobClaim(db, claim("next"))).toBe(true);
    });
  });

  test("A request that was cancelled elsewhere is listed until every process has seen it", async () => {
    const { store, openAnother } = stores();
    const request = { id: "c-1", userId: "u-1", sessionId: "s-1", requestId: '"7"' };
    await insertRequestCancellation(store.db, request);
    const { db } = await openAnother();
    await removeOldRequestCancellations(db);
    expect(await listRequestCancellations(db)).toEqual([request]);
    await runSql(db, "update request_cancellations set requested_at = requested_at - 30001");
    await removeOldRequestCancellations(db);
    expect(await listRequestCancellations(db)).toEqual([]);
  });

  test("The shared clock is close to the time of statements", async () => {
    const { clock, db } = stores().store;
    await clock.measure();
    await insertRequestCancellation(db, { id: "c", userId: "u", sessionId: "s", requestId: "1" });
    const [row] = await runSql<{ ms: number }>(
      db,
      "select requested_at as ms from request_cancellations",
    );
    expect(Math.abs((row?.ms ?? 0) - clock.now())).toBeLessThan(60_000);
  });
}
