import { afterAll, beforeAll, expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import { findRun } from "../../store/runs/runs-table.ts";
import { newFinishedRun } from "../../store/test-data.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let rowId: string;
const signal = new AbortController().signal;
const ctx = { caller: localAdmin, signal };

beforeAll(async () => {
  hub = await openTestServices();
  const values = { base_url: "https://tracker.example.com", token: "the-secret-9fK2xQ7vLm4R" };
  rowId = (await hub.admin.rows.add({ connector: "tracker", label: "Tracker", values })).id;
});
afterAll(() => hub.close());

const lastRun = async () => {
  const [run] = await hub.admin.runs.list({ limit: 1 });
  if (run === undefined) throw new Error("Nothing was recorded.");
  return run;
};

async function codeOf(run: Promise<unknown>): Promise<string> {
  const failure = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return failure instanceof HubError ? failure.code : `no HubError: ${failure}`;
}

test("A user's own run is replayed as a new run that names its parent", async () => {
  await hub.admin.rows.test(ctx, { row: rowId, operation: "read", params: {} });
  const first = await lastRun();
  const { value } = await hub.admin.runs.retry(ctx, first.id);
  expect(value).toMatchObject({ page: 20 });
  expect(await lastRun()).toMatchObject({
    source: "retry",
    parent_run_id: first.id,
    operation_key: "read",
    status: "success",
  });
  const { id } = await lastRun();
  const stored = await findRun(hub.deps.store.db, id);
  expect(stored).toMatchObject({ causeKind: "retry", causeId: first.id });
});

test("A replay reports its progress, and records the address and program of its request", async () => {
  await hub.admin.rows.test(ctx, { row: rowId, operation: "read", params: {} });
  const reports: unknown[] = [];
  const onProgress = (report: unknown) => reports.push(report);
  const origin = { ip: "192.0.2.7", userAgent: "Desk/1" };
  await hub.admin.runs.retry({ ...ctx, ...origin, onProgress }, (await lastRun()).id);
  expect(reports).toEqual([{ done: 1, total: 2 }]);
  expect(await lastRun()).toMatchObject({ ip_address: "192.0.2.7", user_agent: "Desk/1" });
});

test("A chain of replays is followed back to its test over 100 runs and no further", async () => {
  const { runs } = hub.deps.store;
  const base = { connectorId: rowId, operationKey: "widget", request: "{}" };
  let parentRunId: string | null = null;
  const ids: string[] = [];
  for (let count = 0; count <= 101; count += 1) {
    const id = Bun.randomUUIDv7();
    const source = count === 0 ? ("test" as const) : ("retry" as const);
    const run = { ...base, id, parentRunId, source, userId: localAdmin.userId };
    await runs.insertFinished(newFinishedRun(run));
    ids.push(id);
    parentRunId = id;
  }
  // Only the test path offers this operation.
  const retry = (place: number) => hub.admin.runs.retry(ctx, ids[place] ?? "");
  expect((await retry(100)).value).toEqual({ html: "<p>ok</p>" });
  expect(await codeOf(retry(101))).not.toStartWith("no HubError");
});

test("A replay passes every check again", async () => {
  await hub.admin.rows.test(ctx, { row: rowId, operation: "read", params: {} });
  const { id } = await lastRun();
  await hub.admin.rows.set(rowId, { values: { token: "" } });
  expect(await codeOf(hub.admin.runs.retry(ctx, id))).toBe("needs_setup");
  await hub.admin.rows.set(rowId, { values: { token: "the-secret-9fK2xQ7vLm4R" } });
});

test("Only its user can replay a run, but an admin can read its form", async () => {
  const ada = { ...localAdmin, userId: crypto.randomUUID() };
  const { token } = await hub.admin.encrypt({ text: "hidden" });
  await hub.admin.rows.test(ctx, { row: rowId, operation: "read", params: {} });
  const { id } = await lastRun();
  expect(await codeOf(hub.admin.runs.retry({ caller: ada, signal }, id))).toBe("forbidden");
  const denied = { caller: ada, signal };
  await codeOf(
    hub.admin.rows.test(denied, { row: rowId, operation: "read", params: { note: token } }),
  );
  const form = await hub.admin.runs.readForm((await lastRun()).id);
  expect(form).toEqual({ toolId: `conn:${rowId}/read`, params: { note: "" } });
});

test("A run with a truncated request cannot be replayed, and the error says so", async () => {
  const params = { note: "x".repeat(40_000) };
  await codeOf(hub.admin.rows.test(ctx, { row: rowId, operation: "read", params }));
  const failure = await hub.admin.runs.retry(ctx, (await lastRun()).id).catch(String);
  expect(failure).toContain("was not stored in full");
});

test("A call without stored params cannot be replayed: it would be another call", async () => {
  const toolIds = [`conn:${crypto.randomUUID()}/read`, `conn:${rowId}/no_such_operation`];
  const origin = { source: "mcp" as const, ip: null, userAgent: null };
  for (const toolId of toolIds) {
    const params = { page: 1 };
    await codeOf(
      hub.deps.operations.calls.call({ caller: localAdmin, origin, signal }, { toolId, params }),
    );
    expect(await codeOf(hub.admin.runs.retry(ctx, (await lastRun()).id))).toBe("conflict");
  }
  const params = { page: 1, tokn: "meant for a secret field" };
  await codeOf(hub.admin.rows.test(ctx, { row: rowId, operation: "read", params }));
  expect(await codeOf(hub.admin.runs.retry(ctx, (await lastRun()).id))).toBe("conflict");
});

test("A deleted run and a run without an operation cannot be replayed", async () => {
  expect(await codeOf(hub.admin.runs.retry(ctx, crypto.randomUUID()))).toBe("not_found");
  const origin = { source: "mcp" as const, ip: null, userAgent: null };
  const call = { operationKey: "hub_list", request: {} };
  await hub.deps.operations.records.record(
    { caller: localAdmin, origin, signal },
    call,
    async () => ({}),
  );
  expect(await codeOf(hub.admin.runs.retry(ctx, (await lastRun()).id))).toBe("bad_request");
});
