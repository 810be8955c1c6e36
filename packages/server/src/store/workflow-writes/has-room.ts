import type { QueuePolicy } from "../workflow-run-records.ts";
import type { Statements } from "./statements.ts";

/** The condition of the index of active runs. SQLite uses the index only in statements that repeat it. */
export const isActive = "state in ('queued', 'running', 'waiting')";

export async function countUpTo(
  db: Statements,
  workflowId: string,
  condition: "scheduled_at is null" | "scheduled_at is not null",
  max: number,
): Promise<number> {
  const [row] = await db.all<{ count: number }>(
    `select count(*) as count from (
       select 1 from workflow_runs
       where workflow_id = ? and state = 'queued' and ${isActive} and ${condition}
       limit ?) as queued`,
    [workflowId, max],
  );
  return Number(row?.count ?? 0);
}

/** Whether one more run of the workflow may run now. */
export async function hasRoom(
  db: Statements,
  workflowId: string,
  queue: QueuePolicy,
): Promise<boolean> {
  const { policy, runsAtOnce } = queue;
  const max = policy === "parallel" ? runsAtOnce : 1;
  // A run that waits keeps its place in a queue, so that the runs stay in order.
  const states = policy === "parallel" ? ["running"] : ["running", "waiting"];
  let active = 0;
  for (const state of states) {
    const [row] = await db.all<{ count: number }>(
      `select count(*) as count from (
         select 1 from workflow_runs where workflow_id = ? and state = '${state}' and ${isActive}
         limit ?) as active`,
      [workflowId, max],
    );
    active += Number(row?.count ?? 0);
  }
  return active < max;
}
