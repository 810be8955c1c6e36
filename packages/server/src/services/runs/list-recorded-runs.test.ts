import { afterAll, beforeAll, expect, test } from "bun:test";
import { localAdmin } from "../../identity/local-admin.ts";
import { runsScannedMax } from "../../store/runs/run-scans.ts";
import { newFinishedRun } from "../../store/test-data.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let rowId: string;
beforeAll(async () => {
  hub = await openTestServices();
  const values = { base_url: "https://tracker.example.com", token: "the-secret-9fK2xQ7vLm4R" };
  rowId = (await hub.admin.rows.add({ connector: "tracker", label: "Tracker", values })).id;
  const ctx = { caller: localAdmin, signal: new AbortController().signal };
  for (const operation of ["read", "widget", "read"]) {
    await hub.admin.rows.test(ctx, { row: rowId, operation, params: {} });
  }
});
afterAll(() => hub.close());

test("Runs are listed newest first and can be filtered", async () => {
  const all = await hub.admin.runs.list();
  expect(all.map((run) => run.operation_key)).toEqual(["read", "widget", "read"]);
  const filtered = await hub.admin.runs.list({ row: rowId, operation: "widget" });
  expect(filtered).toHaveLength(1);
  expect(await hub.admin.runs.list({ user: localAdmin.userId, status: "success" })).toHaveLength(3);
  expect(await hub.admin.runs.list({ source: "mcp" })).toEqual([]);
});

test("A page of runs begins where the last one ended", async () => {
  const [newest] = await hub.admin.runs.list({ limit: 1 });
  const rest = await hub.admin.runs.list({ before: newest?.id ?? "" });
  expect(rest.map((run) => run.operation_key)).toEqual(["widget", "read"]);
  expect(await hub.admin.runs.list({ after: newest?.id ?? "" })).toEqual([]);
});

test("A run shows its sealed request and response", async () => {
  const [newest] = await hub.admin.runs.list({ limit: 1 });
  const run = await hub.admin.runs.show(newest?.id ?? "");
  expect(run.request).toEqual({});
  expect(run.response).toMatchObject({ page: 20, region: "eu" });
  expect(JSON.stringify(run)).not.toContain("the-secret-9fK2xQ7vLm4R");
});

test("Runs of a deleted row are found by its id", async () => {
  await hub.admin.rows.delete(rowId);
  await expect(await hub.admin.runs.list({ row: rowId })).toHaveLength(3);
});

test.each([0, 1001, 1.5])("A limit of %p runs is refused", async (limit) => {
  await expect(hub.admin.runs.list({ limit })).rejects.toThrow("limit must be");
});

test("A limit of 1 or 1000 runs is accepted, and without a limit 50 runs are listed", async () => {
  const { db, runs } = hub.deps.store;
  for (let count = 0; count < 51; count += 1) {
    await runs.insertFinished(newFinishedRun({ connectorId: "many" }));
  }
  const count = async (filter: { limit?: number }) =>
    (await hub.admin.runs.list({ row: "many", ...filter })).length;
  expect([await count({}), await count({ limit: 1 }), await count({ limit: 1000 })]).toEqual([
    50, 1, 51,
  ]);
  await runSql(db, "delete from connector_runs where connector_id = 'many'");
});

test("A rare run is found behind more runs than one statement reads", async () => {
  const { db, runs } = hub.deps.store;
  const rare = newFinishedRun({ connectorId: "long", operationKey: "rare" });
  const common = newFinishedRun({ connectorId: "long", operationKey: "common" });
  await runs.insertFinished(rare);
  await runs.insertFinished(common);
  await runSql(
    db,
    `insert into connector_runs (id, connector_id, operation_key, user_id, source, status,
      request_cut, instance_id, started_at)
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ?)
    select id || i, connector_id, operation_key, user_id, source, status, 0, 'i', 0
    from numbers join connector_runs where id = ?`,
    runsScannedMax,
    common.id,
  );
  const found = await hub.admin.runs.list({ row: "long", operation: "rare", limit: 2 });
  expect(found.map(({ id }) => id)).toEqual([rare.id]);
  await runSql(db, "delete from connector_runs where connector_id = 'long'");
});

test("A page with an invalid start is refused, not read as the first page", async () => {
  await expect(hub.admin.runs.list({ before: "x" })).rejects.toThrow("before must be the id");
});
