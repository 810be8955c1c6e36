import { describe, expect, test } from "bun:test";
import { insertRow } from "../rows/rows-table.ts";
import { type newFinishedRun, newRow } from "../test-data.ts";
import { fillRuns, insertFinishedRun, toIdAt } from "../testing/fill-runs.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { countInnerRuns } from "./inner-runs.ts";
import { countRuns } from "./run-counts.ts";
import { listRunPage, type RunPageFilter } from "./run-pages.ts";
import { runsScannedMax } from "./run-scans.ts";

/** The pages of the run history with their filters. */
export function describeRunPages(stores: () => TestStores): void {
  const insert = (given: Parameters<typeof newFinishedRun>[0]) =>
    insertFinishedRun(stores().store, given);
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
}
