import { describe, expect, test } from "bun:test";
import { insertInstance, listInstances } from "../servers/instances.ts";
import { newFinishedRun, newRun, outcome } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { cancelInterruptedRuns, findRun, listRuns, purgeRuns } from "./runs-table.ts";

/** Audit rows: recording, listing, purging, cleaning up. */
export function describeRuns(stores: () => TestStores): void {
  /** Ids in the order in which they were made; the last one is the newest. */
  async function insertRuns(count: number, given: Parameters<typeof newFinishedRun>[0] = {}) {
    const made = Array.from({ length: count }, () => newFinishedRun(given));
    await Promise.all(made.map((run) => stores().store.runs.insertFinished(run)));
    return made.map(({ id }) => id);
  }

  async function listIds(filter: Partial<Parameters<typeof listRuns>[1]>): Promise<string[]> {
    const runs = await listRuns(stores().store.db, { limit: 100, ...filter });
    return runs.map(({ id }) => id);
  }

  test("A run is stored as running when begin resolves, and with its outcome when finish resolves", async () => {
    const { runs } = stores().store;
    const another = await stores().openAnother();
    const cause = { causeKind: "retry", causeId: "p-1" } as const;
    const run = newRun({ parentRunId: "p-1", ...cause, requestCut: true });
    await runs.begin(run);
    expect(await findRun(another.db, run.id)).toEqual({
      ...run,
      status: "running",
      errorCode: null,
      errorMsg: null,
      response: null,
      latencyMs: null,
      httpStatus: null,
      endedAt: null,
    });
    const failed = { ...outcome, status: "error" as const, errorCode: "timeout", errorMsg: "Slow" };
    await runs.finish(run.id, failed);
    expect(await findRun(another.db, run.id)).toEqual({ ...run, ...failed });
    expect(await findRun(another.db, "none")).toBeNull();
  });

  test("A run with its outcome is written at once, with nulls for unknown values", async () => {
    const { db, runs } = stores().store;
    const run = newFinishedRun({
      connectorId: null,
      rowLabel: null,
      tokenId: null,
      request: null,
      ipAddress: null,
      userAgent: null,
      httpStatus: null,
      status: "denied",
    });
    await runs.insertFinished(run);
    expect(await findRun(db, run.id)).toEqual(run);
  });

  test("A run with half a surrogate pair in its texts is stored with a replacement", async () => {
    const { db, runs } = stores().store;
    const request = JSON.stringify({ text: "\0\ud800" });
    const run = newRun({ operationKey: "a\ud800b", rowLabel: "\udc00", request });
    await runs.begin(run);
    await runs.finish(run.id, { ...outcome, errorMsg: "x\udfff" });
    const stored = { operationKey: "a\ufffdb", rowLabel: "\ufffd", errorMsg: "x\ufffd" };
    expect(await findRun(db, run.id)).toMatchObject({ ...stored, request });
  });

  test("A finish need not wait for its begin", async () => {
    const { db, runs } = stores().store;
    const run = newRun();
    await Promise.all([runs.begin(run), runs.finish(run.id, outcome)]);
    expect(await findRun(db, run.id)).toEqual({ ...run, ...outcome });
  });

  test("Many concurrent runs are all stored", async () => {
    const { db, runs } = stores().store;
    const made = Array.from({ length: 600 }, () => newRun());
    await Promise.all(
      made.map(async (run) => {
        await runs.begin(run);
        await runs.finish(run.id, outcome);
      }),
    );
    expect(await listRuns(db, { limit: 1_000, status: "success" })).toHaveLength(600);
  });

  test("An invalid run rejects only its own write", async () => {
    const { db, runs } = stores().store;
    const first = newRun();
    const [begun, again, unknown, other] = await Promise.allSettled([
      runs.begin(first),
      runs.begin({ ...newRun(), id: first.id }),
      runs.finish("none", outcome),
      runs.insertFinished(newFinishedRun()),
    ]);
    expect([begun.status, other.status]).toEqual(["fulfilled", "fulfilled"]);
    expect(again).toMatchObject({ status: "rejected", reason: { code: "internal" } });
    expect(unknown).toMatchObject({ status: "rejected", reason: { code: "internal" } });
    expect(await listRuns(db, { limit: 10 })).toHaveLength(2);
  });

  test("Close writes queued runs and refuses later ones", async () => {
    const another = await stores().openAnother();
    const run = newRun();
    const begun = another.runs.begin(run);
    await another.close();
    await begun;
    expect(await findRun(stores().store.db, run.id)).toMatchObject({ status: "running" });
    await expect(another.runs.begin(newRun())).rejects.toThrow("The hub is stopping");
  });

  describe("listing runs", () => {
    test("Runs are listed newest first", async () => {
      const ids = await insertRuns(5);
      expect(await listIds({})).toEqual(ids.toReversed());
      expect(await listIds({ limit: 2 })).toEqual(ids.toReversed().slice(0, 2));
    });

    test("Pages neither skip nor repeat a run while new ones arrive", async () => {
      const ids = await insertRuns(7);
      const seen: string[] = [];
      for (let before: string | undefined; ; before = seen.at(-1)) {
        const page = await listIds({ limit: 3, before });
        if (page.length === 0) break;
        seen.push(...page);
        await insertRuns(2);
      }
      expect(seen).toEqual(ids.toReversed());
    });

    test("Runs after a given run are listed by its id", async () => {
      const ids = await insertRuns(5);
      expect(await listIds({ after: ids[2] })).toEqual([ids[4], ids[3]].map(String));
      expect(await listIds({ after: ids[4] })).toEqual([]);
    });

    test("Filters narrow the list, alone and together", async () => {
      const [plain] = await insertRuns(1);
      const [other] = await insertRuns(1, {
        connectorId: "row-2",
        userId: "user-2",
        status: "error",
        source: "test",
        operationKey: "post",
      });
      const [mixed] = await insertRuns(1, { connectorId: "row-2", operationKey: "get" });
      expect(await listIds({ connectorId: "row-2" })).toEqual([mixed, other].map(String));
      expect(await listIds({ userId: "user-2" })).toEqual([String(other)]);
      expect(await listIds({ status: "error" })).toEqual([String(other)]);
      expect(await listIds({ status: "success" })).toEqual([mixed, plain].map(String));
      expect(await listIds({ source: "test" })).toEqual([String(other)]);
      expect(await listIds({ operationKey: "get" })).toEqual([mixed, plain].map(String));
      expect(await listIds({ connectorId: "row-2", operationKey: "get" })).toEqual([String(mixed)]);
      expect(await listIds({ connectorId: "row-1", status: "error" })).toEqual([]);
    });
  });

  test("A purge deletes runs that ended before a time, in batches, and no running ones", async () => {
    const { db, runs } = stores().store;
    const old = await insertRuns(5, { endedAt: 100 });
    const kept = await insertRuns(2, { endedAt: 200 });
    const running = newRun({ startedAt: 1 });
    await runs.begin(running);
    const counts = [];
    for (let count = -1; count !== 0; counts.push(count)) {
      ({ count } = await purgeRuns(db, { endedBefore: 200, limit: 2 }));
    }
    expect(counts).toEqual([2, 2, 1, 0]);
    expect(await listIds({})).toEqual([running.id, ...kept.toReversed()]);
    expect(await findRun(db, String(old[0]))).toBeNull();
  });

  test("A purge deletes the oldest ended runs first", async () => {
    const { db } = stores().store;
    const [late] = await insertRuns(1, { endedAt: 150 });
    const [early] = await insertRuns(1, { endedAt: 100 });
    const bounds = { endedBefore: 200, limit: 1 };
    expect(await purgeRuns(db, bounds)).toEqual({ count: 1, endedAt: 100 });
    expect(await findRun(db, String(early))).toBeNull();
    expect(await findRun(db, String(late))).not.toBeNull();
    const none = { count: 0, endedAt: null };
    expect(await purgeRuns(db, { ...bounds, endedFrom: 151 })).toEqual(none);
    expect(await purgeRuns(db, { ...bounds, endedFrom: 150 })).toEqual({ count: 1, endedAt: 150 });
  });

  test("Runs of dead instances become cancelled, those of live instances continue", async () => {
    const { db, runs } = stores().store;
    const instance = { kind: "serve" as const, pid: 1, hostname: "box", startedAt: 500 };
    await insertInstance(db, { ...instance, id: "silent" });
    await insertInstance(db, { ...instance, id: "alive" });
    const [silent, gone, alive] = [
      newRun({ instanceId: "silent" }),
      newRun({ instanceId: "gone" }),
      newRun({ instanceId: "alive" }),
    ];
    for (const run of [silent, gone, alive]) await runs.begin(run);
    const [ended] = await insertRuns(1, { instanceId: "gone" });

    expect(await cancelInterruptedRuns(db, { dead: ["silent"], at: Date.now() })).toBe(2);
    expect((await listInstances(db)).map(({ id }) => id)).toEqual(["alive"]);
    for (const { id } of [silent, gone]) {
      const run = await findRun(db, id);
      expect(run).toMatchObject({ status: "cancelled", errorCode: "cancelled", latencyMs: null });
      expect(run?.errorMsg).toBeString();
      expect(run?.endedAt).toBeNumber();
    }
    expect(await findRun(db, alive.id)).toMatchObject({ status: "running", endedAt: null });
    expect(await findRun(db, String(ended))).toMatchObject({ status: "success" });
    expect(await cancelInterruptedRuns(db, { dead: [], at: Date.now() })).toBe(0);
  });

  test("An instance that was taken for dead can still store the outcome of its run", async () => {
    const { db, runs } = stores().store;
    const run = newRun({ instanceId: "slept" });
    await runs.begin(run);
    await cancelInterruptedRuns(db, { dead: [], at: Date.now() });
    await runs.finish(run.id, outcome);
    expect(await findRun(db, run.id)).toEqual({ ...run, ...outcome });
  });
}
