import { describe, expect, test } from "bun:test";
import { insertRow } from "../rows/rows-table.ts";
import { newFinishedRun, newRow } from "../test-data.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { countInnerRuns } from "./inner-runs.ts";
import { countRuns } from "./run-counts.ts";
import { countRunHours, purgeRunHours, sumRunHours } from "./run-hours.ts";
import { listRunPage, type RunPageFilter } from "./run-pages.ts";
import { runsScannedMax } from "./run-scans.ts";

/** The run history of pages and the API: pages with filters, and statistics by the hour. */
export function describeRunPages(stores: () => TestStores): void {
  const insert = async (given: Parameters<typeof newFinishedRun>[0]) => {
    const run = newFinishedRun(given);
    await stores().store.runs.insertFinished(run);
    return run;
  };
  const page = (filter: Partial<RunPageFilter>) =>
    listRunPage(stores().store.db, { limit: 100, ...filter });

  describe("a page of the history", () => {
    test("A page contains the runs that match every filter, newest first, and names the next page", async () => {
      const given = { connectorId: "c-1", userId: "u-1", operationKey: "read" } as const;
      const wanted: string[] = [];
      for (let i = 0; i < 5; i++) wanted.unshift((await insert(given)).id);
      await insert({ ...given, operationKey: "write" });
      await insert({ ...given, userId: "u-2" });
      await insert({ ...given, connectorId: "c-2" });

      const filter = { ...given, status: "success" as const };
      const first = await page({ ...filter, limit: 2 });
      const second = await page({ ...filter, limit: 2, before: first.next ?? "" });
      const third = await page({ ...filter, limit: 2, before: second.next ?? "" });
      const pages = [first, second, third].map(({ runs }) => runs.map(({ id }) => id));
      expect(pages.flat()).toEqual(wanted);
      expect(third.next).toBeNull();
    });

    test("A page does not read what was sent and received", async () => {
      await insert({ connectorId: "large", request: '{"a":1}', response: '{"b":2}' });
      const [run] = (await page({ connectorId: "large" })).runs;
      expect(Object.keys(run ?? {})).not.toContain("request");
      expect(Object.keys(run ?? {})).not.toContain("response");
    });

    test("A page can be bounded by the start of runs", async () => {
      const at = 1_700_000_000_000;
      const ids = [0, 1, 2].map((hour) => toIdAt(at + hour * 3_600_000));
      for (const id of ids) await insert({ id, connectorId: "timed" });
      const found = await page({
        connectorId: "timed",
        startedFrom: at + 1,
        startedBefore: at + 2 * 3_600_000,
      });
      expect(found.runs.map(({ id }) => id)).toEqual([ids[1] ?? ""]);
    });

    test("A page can leave out runs of rows without given tags", async () => {
      const { db } = stores().store;
      const userId = "u-among";
      const [red, blue] = [crypto.randomUUID(), crypto.randomUUID()];
      for (const [id, tag] of [
        [red, "among-red"],
        [blue, "among-blue"],
      ] as const) {
        await insertRow(db, newRow({ id, tags: [tag] }));
      }
      const [one, none, refused] = [
        await insert({ userId, connectorId: red }),
        await insert({ userId, connectorId: null }),
        await insert({ userId, connectorId: "gone", rowLabel: null }),
      ];
      await insert({ userId, connectorId: blue });
      const list = async (rowsTaggedAmong: string[]) =>
        (await page({ userId, rowsTaggedAmong })).runs.map(({ id }) => id);
      expect(await list(["among-red", "no-such-tag"])).toEqual([refused.id, none.id, one.id]);
      expect(await list(["no-such-tag"])).toEqual([refused.id, none.id]);
    });

    test("A page can be limited to the present rows of a connector", async () => {
      const { db } = stores().store;
      const connectorKey = "page-tracker";
      const row = newRow({ id: crypto.randomUUID(), connectorKey });
      await insertRow(db, row);
      const other = newRow({ id: crypto.randomUUID(), connectorKey: "page-other" });
      await insertRow(db, other);
      const wanted = await insert({ connectorId: row.id });
      await insert({ connectorId: other.id });
      await insert({ connectorId: null });
      const list = async (more: Partial<RunPageFilter> = {}) =>
        (await page({ connectorKey, ...more })).runs.map(({ id }) => id);
      expect(await list()).toEqual([wanted.id]);
      expect(await list({ connectorId: other.id })).toEqual([]);
      expect(await list({ connectorKey: "page-absent" })).toEqual([]);
      const second = newRow({ id: crypto.randomUUID(), connectorKey });
      await insertRow(db, second);
      const later = await insert({ connectorId: second.id });
      expect(await list()).toEqual([later.id, wanted.id]);
      expect(await list({ connectorId: second.id })).toEqual([later.id]);
      expect(await list({ connectorId: other.id })).toEqual([]);
    });

    test("A text is found in the message and in the code of an error, in both cases, with every character as itself", async () => {
      const connectorId = "errors";
      const failed = { connectorId, status: "error", errorCode: "upstream_error" } as const;
      const full = await insert({ ...failed, errorMsg: "The disk of Ada is 100% full_up." });
      const slow = await insert({ ...failed, errorCode: "timeout", errorMsg: "Too slow." });
      await insert({ connectorId });
      const list = async (errorText: string, more: Partial<RunPageFilter> = {}) =>
        (await page({ connectorId, errorText, ...more })).runs.map(({ id }) => id);
      expect(await list("THE DISK")).toEqual([full.id]);
      expect(await list("100% full_")).toEqual([full.id]);
      expect(await list("timeout")).toEqual([slow.id]);
      expect(await list("o")).toEqual([slow.id, full.id]);
      for (const none of ["disk%full", "full.up", "\\", "' or 1=1"])
        expect([none, await list(none)]).toEqual([none, []]);
      expect(await list("o", { status: "denied" })).toEqual([]);
      expect(await list("o", { status: "error", before: slow.id })).toEqual([full.id]);
    });

    test("A text in errors is searched among the failed runs only, however many others there are", async () => {
      const { db } = stores().store;
      const failed = { status: "error", errorCode: "internal", errorMsg: "A rare fault." } as const;
      const run = await insert({ connectorId: "crowd", ...failed });
      await fillRuns(db, "crowd", runsScannedMax + 10);
      const found = await page({ errorText: "a rare fault", userId: run.userId });
      expect(found.runs.map(({ id }) => id)).toEqual([run.id]);
    });

    test("A page with rare matches scans a bounded number of runs and names where it stopped", async () => {
      const { db } = stores().store;
      const old = await insert({ connectorId: "busy", operationKey: "rare" });
      await fillRuns(db, "busy", runsScannedMax + 10);
      const first = await page({ connectorId: "busy", operationKey: "rare" });
      expect(first.runs).toEqual([]);
      const second = await page({
        connectorId: "busy",
        operationKey: "rare",
        before: first.next ?? "",
      });
      expect(second.runs.map(({ id }) => id)).toEqual([old.id]);
      expect(second.next).toBeNull();
    });

    test("The calls of a message are found by its id, left out of a page, and counted", async () => {
      const { db } = stores().store;
      const userId = crypto.randomUUID();
      const of = { userId, causeKind: "batch", causeId: crypto.randomUUID() } as const;
      const message = { userId, connectorId: null, operationKey: "hub_read" };
      const outer = await insert({ ...message, id: of.causeId });
      const inner = [
        await insert(of),
        await insert({ ...of, status: "error" }),
        await insert({ ...of, status: "denied", connectorId: "c-9" }),
      ];
      const ofScript = { ...of, causeKind: "script", causeId: "s-1" } as const;
      await insert(ofScript);
      // Its cause is a call, but no message.
      const retry = await insert({ ...of, causeKind: "retry" });
      const older = await insert({ userId, causeKind: null, causeId: null });
      const list = async (filter: Partial<RunPageFilter>) =>
        (await page({ userId, ...filter })).runs.map(({ id }) => id).sort();
      const toIds = (runs: { id: string }[]) => runs.map(({ id }) => id).sort();
      expect(await list({ causeId: of.causeId })).toEqual(toIds(inner));
      expect(await list({ causeId: of.causeId, connectorId: "c-9" })).toHaveLength(1);
      expect(await list({ causeId: of.causeId, userId: "another" })).toEqual([]);
      expect(await list({ withoutInner: true })).toEqual(toIds([outer, retry, older]));
      expect(await list({ withoutMessages: true })).toHaveLength(6);

      const ids = [of.causeId, ofScript.causeId, retry.id];
      const counts = new Map([
        [of.causeId, { total: 3, failed: 2 }],
        [ofScript.causeId, { total: 1, failed: 0 }],
      ]);
      expect(await countInnerRuns(db, ids)).toEqual(counts);
      const many = Array.from({ length: 60 }, () => "none");
      expect(await countInnerRuns(db, [...many, ...ids])).toEqual(counts);
      const tag = "no-such-tag";
      const countAs = async (taggedAmong: string[], userIds: string[]) =>
        (await countInnerRuns(db, ids, { taggedAmong, userIds })).size;
      expect(await countAs([tag], [inner[0]?.userId ?? ""])).toBe(0);
      expect(await countAs([], ["another"])).toBe(0);
    });

    test("Many runs of a hidden row change no page or count of a user's own runs", async () => {
      const { db } = stores().store;
      const hidden = newRow({ id: crypto.randomUUID(), connectorKey: "page-hidden" });
      await insertRow(db, hidden);
      await insert({ connectorId: hidden.id, status: "error", errorCode: "internal" });
      await fillRuns(db, hidden.id, runsScannedMax + 10);
      const own = { userId: crypto.randomUUID(), rowsTaggedAmong: ["everyone"] };
      const filters: Partial<RunPageFilter>[] = [
        { connectorId: hidden.id },
        { connectorKey: "page-hidden" },
        { connectorKey: "page-hidden", status: "error" },
        { errorText: "internal" },
      ];
      for (const filter of filters) {
        expect(await page({ ...own, ...filter })).toEqual({ runs: [], next: null });
        expect(await countRuns(db, { ...own, ...filter })).toEqual({ hours: [], stoppedAt: null });
      }
    });
  });

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

function toIdAt(epochMs: number): string {
  const hex = epochMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Adds many runs of a row in one statement, one per millisecond. */
async function fillRuns(db: TestStores["store"]["db"], connectorId: string, count: number, at = 0) {
  const { userId } = newFinishedRun({ connectorId });
  // The ids differ in their last twelve digits.
  const idStart = Bun.randomUUIDv7().slice(0, -12);
  await runSql(
    db,
    `insert into connector_runs
       (id, connector_id, operation_key, user_id, source, status, request_cut, latency_ms, instance_id, started_at, ended_at)
     with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${count})
     select cast(? as text) || substr(cast(1000000000000 + n as text), 2), cast(? as text), 'common', cast(? as text),
       'mcp', 'success', 0, 1, 'i', ${at} + n, ${at} + n
     from numbers`,
    idStart,
    connectorId,
    userId,
  );
}
