import { expect, test } from "bun:test";
import { insertTestPendingCall } from "../testing/new-pending-call.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { listRunnableCalls } from "./list-runnable-calls.ts";
import { returnApproval } from "./pending-call-states.ts";
import { findPendingCall } from "./pending-calls-table.ts";

/** How a pending call goes from one state to the next. */
export function describePendingCallStates(stores: () => TestStores): void {
  const db = () => stores().store.db;

  /** A call that an approval has begun. */
  async function addRunning({ task = 0 }: { task?: number } = {}): Promise<string> {
    const { id } = await insertTestPendingCall(db(), { principal: "session", runsByItself: true });
    const begun = "state = 'running', run_id = 'run-1', approved_until = 9000";
    await runSql(db(), `update pending_calls set ${begun}, task = ${task} where id = '${id}'`);
    return id;
  }

  test("An approval that is given back is used by a repeat alone, also if its call ran by itself", async () => {
    const id = await addRunning();
    expect(await returnApproval(db(), { id, runId: "run-2" })).toBe(false);
    expect(await returnApproval(db(), { id, runId: "run-1" })).toBe(true);
    expect(await returnApproval(db(), { id, runId: "run-1" })).toBe(false);
    const given = { state: "approved", runsByItself: false, runId: null } as const;
    expect(await findPendingCall(db(), id)).toMatchObject(given);
    const runnable = await listRunnableCalls(db(), { at: 5000, limit: 100 });
    expect(runnable.filter((call) => call.id === id)).toEqual([]);
  });

  test("The approval of a task is not given back", async () => {
    const id = await addRunning({ task: 1 });
    expect(await returnApproval(db(), { id, runId: "run-1" })).toBe(false);
    expect((await findPendingCall(db(), id))?.state).toBe("running");
  });
}
