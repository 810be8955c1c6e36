/** Protects: figures and groups of errors count what the caller sees, within a bound, and say where they stopped. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../caller.ts";
import { runsFiguredMax } from "../../store/runs/run-figures.ts";
import { newFinishedRun } from "../../store/test-data.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { figureCalls } from "./figure-calls.ts";
import { groupErrors } from "./group-errors.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let row: string;
beforeAll(async () => {
  hub = await openTestServices();
  row = (await hub.admin.rows.add({ connector: "tracker", label: "Shop", tags: ["red"] })).id;
});
afterAll(() => hub.close());

const toCaller = (userId: string, role: Caller["role"] = "user"): Caller => ({
  userId,
  email: `${userId}@example.com`,
  name: userId,
  tokenId: "t1",
  role,
  tags: new Set(["red"]),
});
const admin = toCaller("root", "admin");

async function addRun(given: Parameters<typeof newFinishedRun>[0]): Promise<string> {
  const id = Bun.randomUUIDv7();
  const base = { id, connectorId: row, rowLabel: "Shop" };
  await hub.deps.store.runs.insertFinished(newFinishedRun({ ...base, ...given }));
  return id;
}

const fail = (userId: string, errorMsg: string, operationKey = "read") =>
  addRun({ userId, operationKey, status: "error", errorCode: "upstream_error", errorMsg });

describe("figures of calls", () => {
  test("They have the error rate, the percentiles, and what was called most and took longest", async () => {
    for (let at = 1; at <= 100; at += 1) {
      await addRun({ userId: "ann", operationKey: at <= 80 ? "read" : "write", latencyMs: at });
    }
    await addRun({
      userId: "ann",
      operationKey: "write",
      status: "denied",
      errorCode: "forbidden",
      latencyMs: 0,
    });
    await addRun({ userId: "bob", operationKey: "read", latencyMs: 5_000 });
    const own = await figureCalls(hub.deps, toCaller("ann"), "own", {});
    expect(own).toMatchObject({ calls: 101, errors: 1, p50_ms: 50, p95_ms: 95, p99_ms: 99 });
    expect(own.error_rate).toBeCloseTo(1 / 101);
    expect(
      own.operations.map((one) => [one.operation_key, one.calls, one.errors, one.p95_ms]),
    ).toEqual([
      ["read", 80, 0, 76],
      ["write", 21, 1, 99],
    ]);
    expect(own.slowest.map(({ latency_ms }) => latency_ms)).toEqual([100, 99, 98, 97, 96]);
    expect(own.users.map(({ user_id, calls }) => [user_id, calls])).toEqual([["ann", 101]]);
    const all = await figureCalls(hub.deps, admin, "all", { row });
    expect(all.users.map(({ user_id, calls }) => [user_id, calls])).toEqual([
      ["ann", 101],
      ["bob", 1],
    ]);
    expect(all.slowest[0]).toMatchObject({ latency_ms: 5_000, row_label: "Shop" });
    // A message of several calls, which are calls of their own.
    const message = { userId: "ann", connectorId: null, rowLabel: null, operationKey: "hub_read" };
    await addRun({ ...message, latencyMs: 9_000, status: "error", errorCode: "internal" });
    expect(await figureCalls(hub.deps, toCaller("ann"), "own", {})).toEqual(own);
    expect((await figureCalls(hub.deps, admin, "all", {})).slowest[0]?.latency_ms).toBe(5_000);
    const none = await figureCalls(hub.deps, admin, "all", { operation: "absent" });
    expect(none).toMatchObject({ calls: 0, error_rate: null, p50_ms: null, counted_from: null });
  });
});

describe("groups of errors", () => {
  test("Errors that differ in numbers are one group, with its users, times, an example and its filter", async () => {
    const first = await fail("eva", "Order 17 was not found");
    await fail("eva", "Order 17 was not found", "write");
    const last = await fail("tom", "Order 4711 was not found");
    const { groups, total, calls } = await groupErrors(hub.deps, admin, "all", {
      row,
      code: "upstream_error",
    });
    expect([total, calls, groups.length]).toEqual([2, 3, 2]);
    expect(groups[0]).toMatchObject({
      operation_key: "read",
      message: "Order 4711 was not found",
      calls: 2,
      users_total: 2,
      example: last,
      filter: { row, operation: "read", code: "upstream_error", error: "was not found" },
    });
    const found = await hub.admin.runs.page(admin, groups[0]?.filter ?? {});
    expect(found.runs.map(({ id }) => id)).toEqual([last, first]);
    const own = await groupErrors(hub.deps, toCaller("tom"), "own", {});
    expect(own.groups.map((group) => [group.calls, group.users_total])).toEqual([[1, 1]]);
  });

  test("Messages that were built to hurt are grouped, and shown as one short line", async () => {
    await fail("bad", `${"\u202e".repeat(50)}${"\"'“".repeat(300_000)}`);
    await fail("bad", "a\n\u2028b\u0000");
    const { groups } = await groupErrors(hub.deps, toCaller("bad"), "own", {});
    expect(groups).toHaveLength(2);
    for (const { message } of groups) {
      expect((message ?? "").length).toBeLessThanOrEqual(200);
      expect(message).not.toMatch(/[\n\u202e\u2028\0]/);
    }
  });
});

test("Figures and groups look at a bounded number of calls and say where they stopped", async () => {
  const { db } = hub.deps.store;
  const base = await addRun({
    userId: "many",
    status: "error",
    errorCode: "timeout",
    errorMsg: "x",
  });
  await runSql(
    db,
    `insert into connector_runs (id, connector_id, operation_key, user_id, source, status, error_code,
      request_cut, instance_id, started_at, latency_ms)
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ?)
    select id || i, connector_id, operation_key, user_id, source, status, error_code, 0, 'i', 0, 1
    from numbers join connector_runs where id = ?`,
    runsFiguredMax + 1_000,
    base,
  );
  const figures = await figureCalls(hub.deps, toCaller("many"), "own", {});
  const errors = await groupErrors(hub.deps, toCaller("many"), "own", {});
  expect([figures.calls, errors.calls]).toEqual([runsFiguredMax, runsFiguredMax]);
  expect([typeof figures.counted_from, typeof errors.counted_from]).toEqual(["string", "string"]);
  await runSql(db, "delete from connector_runs where user_id = 'many'");
});
