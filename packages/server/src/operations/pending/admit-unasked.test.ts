/** Protects: what was asked about runs once, whatever admits an equal call meanwhile. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { HubError } from "../../errors.ts";
import { createDailyAmounts } from "../../lib/limits/daily-amounts.ts";
import { transaction } from "../../store/database/database.ts";
import { claimPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { findRow, putRowValues } from "../../store/rows/rows-table.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { findTestPostgres } from "../../store/testing/test-postgres.ts";
import { admitUnasked } from "./admit-unasked.ts";
import { readPendingDetail } from "./pending-error.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

let hub: Awaited<ReturnType<typeof openAskedHub>>;
beforeAll(async () => {
  hub = await openAskedHub();
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.sent.length = 0;
});

const away = [{ key: "place", value: "away", sealed: null }];

test("A call that was approved together with a permission for an hour is not left to run again", async () => {
  const rowId = await hub.addAskedRow();
  const id = await hub.ask(rowId, { text: "first" });
  const open = await hub.ask(rowId, { text: "second" });
  await hub.decide(id, "approved");
  await hub.permit(id);
  await hub.call(rowId, { text: "first" });
  expect(await hub.findState(id)).toBe("done");
  // By its id it is that call, and has its result. Its params alone are a new call, which is permitted.
  await hub.call(rowId, {}, { pendingId: id });
  expect(hub.sent).toEqual(["first"]);
  await hub.call(rowId, { text: "first" });
  await hub.call(rowId, { text: "second" });
  expect(hub.sent).toEqual(["first", "first", "second"]);
  // What ran by the permission is no question any more.
  expect(await hub.findState(open)).toBe("ended");
});

test("A call that runs by itself runs once, also beside a permission for an hour", async () => {
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const id = await hub.ask(rowId, { text: "by itself" });
  await hub.decide(id, "approved");
  await hub.permit(id);
  for (let round = 0; round < 3; round += 1) await hub.runApproved();
  expect(hub.sent).toEqual(["by itself"]);
  expect(await hub.findState(id)).toBe("done");
  const [ran] = await hub.listRuns(1);
  expect(ran).toMatchObject({ status: "success", causeKind: "pending", causeId: id });
});

test("A call whose rule is gone does not run by itself, and a repeat by its id runs as any call", async () => {
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const [gone, done] = [
    await hub.ask(rowId, { text: "gone" }),
    await hub.ask(rowId, { text: "done" }),
  ];
  await hub.decide(done, "approved");
  await hub.call(rowId, { text: "done" });
  await hub.decide(gone, "approved");
  await runSql(hub.db, `delete from call_rules where row_id = '${rowId}'`);
  await putRowValues(hub.db, rowId, away, Date.now());
  for (let round = 0; round < 2; round += 1) await hub.runApproved();
  expect(hub.sent).toEqual(["done"]);
  expect(await hub.findState(gone)).toBe("changed");
  await hub.call(rowId, {}, { pendingId: done });
  expect(hub.sent).toEqual(["done"]);
  await hub.call(rowId, {}, { pendingId: gone });
  expect(hub.sent).toEqual(["done", "gone"]);
});

test("A row that changed does not let an approved call run by itself, nor asks anew", async () => {
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const id = await hub.ask(rowId, { text: "moved" });
  await hub.decide(id, "approved");
  await putRowValues(hub.db, rowId, away, Date.now());
  for (let round = 0; round < 2; round += 1) await hub.runApproved();
  expect(hub.sent).toEqual([]);
  expect(await hub.findState(id)).toBe("changed");
  const open = await runSql(hub.db, `select id from pending_calls where row_id = '${rowId}'`);
  expect(open).toHaveLength(1);
});

// Its second connection writes within one step, as only that of SQLite can.
test.skipIf(findTestPostgres() !== null)(
  "A call whose row changes or that is decided while it begins is told its pending call",
  async () => {
    const rowId = await hub.addAskedRow();
    const id = await hub.ask(rowId, { text: "moved" });
    const asOpen = await hub.findCall(id);
    if (asOpen === null) throw new Error("There is no such call");
    await hub.decide(id, "approved");
    const denied = await hub.ask(rowId, { text: "denied" });
    const deniedAsOpen = await hub.findCall(denied);
    if (deniedAsOpen === null) throw new Error("There is no such call");
    await hub.decide(denied, "denied");
    // Between the steps of the call, which no promise could be.
    const other = new Database(join(hub.dataDir, "hub.sqlite"));
    const onTarget = () =>
      void other.run("update connector_rows set version = version + 1 where id = ?", [rowId]);
    const request = { toolId: `conn:${rowId}/send`, params: { text: "moved" } };
    const refusals = [
      () => hub.operations.calls.call({ ...hub.toContext(), onTarget }, request),
      // The call was read before the decision.
      () =>
        admitUnasked(
          {
            db: hub.db,
            ring: hub.ring,
            now: () => Date.now(),
            instanceId: "test",
            recordedBytes: createDailyAmounts({ now: () => 0, perDay: 0 }),
            findBaseUrl: async () => null,
          },
          {
            calls: [deniedAsOpen],
            present: { basis: deniedAsOpen.basis, rowVersion: 1 },
            pendingId: undefined,
            onlyApproved: undefined,
          },
        ),
    ];
    for (const [index, refuse] of refusals.entries()) {
      const moved = [asOpen, deniedAsOpen][index];
      const thrown: unknown = await refuse().catch((failure: unknown) => failure);
      expect(thrown).toBeInstanceOf(HubError);
      const detail = thrown instanceof HubError ? readPendingDetail(thrown) : null;
      expect(detail).toMatchObject({ pending_id: moved?.id, retry_after_s: 1 });
      expect(Date.parse(detail?.expires_at ?? "")).toBe(moved?.expiresAt ?? 0);
    }
    other.close();
    expect(await hub.findState(id)).toBe("approved");
    expect(hub.sent).toEqual([]);
  },
);

test("A row or a rule that changes after a call began leaves its approval unused", async () => {
  const rowId = await hub.addAskedRow();
  const id = await hub.ask(rowId, { text: "late" });
  await hub.decide(id, "approved");
  const stored = await findPendingCall(hub.db, id);
  const version = (await findRow(hub.db, rowId))?.version ?? 0;
  const claim = {
    id,
    digest: stored?.digest ?? "",
    basis: stored?.basis ?? "",
    runId: "run-1",
    instanceId: "test",
    at: Date.now(),
  };
  const claimAt = (rowVersion: number) =>
    transaction(hub.db, (trx) => claimPendingCall(trx, { ...claim, rowVersion }));
  await putRowValues(hub.db, rowId, away, Date.now());
  expect(await claimAt(version)).toBe(false);
  await runSql(hub.db, `update call_rules set revision = revision + 1 where row_id = '${rowId}'`);
  expect(await claimAt(version + 1)).toBe(false);
  await runSql(hub.db, `update call_rules set revision = revision - 1 where row_id = '${rowId}'`);
  expect(await claimAt(version + 1)).toBe(true);
});
