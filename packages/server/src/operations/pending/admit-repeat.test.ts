/** Protects: a repeat runs the call that its pending call is of, and no other one. */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { putRowValues } from "../../store/rows/rows-table.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { findTestPostgres } from "../../store/testing/test-postgres.ts";
import type { NamedOperation } from "../operations.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

let hub: Awaited<ReturnType<typeof openAskedHub>>;
beforeAll(async () => {
  hub = await openAskedHub();
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.sent.length = 0;
});

test("A repeat that names another operation beside its pending call is refused, in each form of a name", async () => {
  const rowId = await hub.addAskedRow({}, "Mail");
  const id = await hub.ask(rowId, { text: "hi" });
  await hub.decide(id, "approved");
  const repeat = (name: { toolId?: string; named?: NamedOperation }) =>
    hub.operations.calls
      .call(hub.toContext(), { toolId: "", params: {}, pendingId: id, ...name })
      .then(
        () => "ran",
        (thrown: { code?: unknown }) => thrown.code,
      );
  const short = `conn:${rowId.slice(0, 8)}`;
  const named = (operation: string) => ({ named: { row: "Mail", operation } });
  for (const name of [
    { toolId: `conn:${rowId}/fetch` },
    { toolId: `${short}/fetch` },
    named("fetch"),
    named("unknown"),
  ]) {
    expect(await repeat(name)).toBe("invalid_params");
  }
  expect(hub.sent).toEqual([]);
  for (const name of [{ toolId: `${short}/send` }, named("send"), {}]) {
    expect(await repeat(name)).toBe("ran");
  }
  expect(hub.sent).toEqual(["hi"]);
});

// Its second connection writes within one step, as only that of SQLite can.
test.skipIf(findTestPostgres() !== null)(
  "An approved call that was deleted just before it would run by itself does not run",
  async () => {
    const rowId = await hub.addAskedRow({ runsOnApproval: true });
    const id = await hub.ask(rowId, { text: "gone" });
    await hub.decide(id, "approved");
    await runSql(hub.db, `delete from call_rules where row_id = '${rowId}'`);
    // The row's change makes the hub read its rules again.
    const place = { key: "place", value: "away", sealed: null };
    await putRowValues(hub.db, rowId, [place], Date.now());
    const request = { toolId: "", params: {}, pendingId: id, onlyApproved: true };
    // Between the steps of the call, which no promise could be.
    const other = new Database(join(hub.dataDir, "hub.sqlite"));
    const onTarget = () => void other.run("delete from pending_calls where id = ?", [id]);
    const calling = hub.operations.calls.call({ ...hub.toContext(), onTarget }, request);
    await expect(calling).rejects.toMatchObject({ code: "approval_required" });
    other.close();
    expect(hub.sent).toEqual([]);
  },
);
