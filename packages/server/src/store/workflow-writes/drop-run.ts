import { toFirstId } from "../database/timed-ids.ts";
import type { Acceptance, AcceptWrite } from "../workflow-runs/workflow-run-records.ts";
import { insertRun } from "./insert-run.ts";
import type { RunTransaction } from "./run-transaction.ts";

type DropReason = Extract<Acceptance, { kind: "dropped" }>["reason"];

/** For so long, the runs that one starter is refused at one trigger are counted in the first one's record. */
const countedMs = 60_000;

/** Whether a delivery of this trigger starts a run again after an earlier one was dropped. */
export function mayComeAgain({ triggerType }: Pick<AcceptWrite["run"], "triggerType">): boolean {
  // A tick comes from several servers, and a chat platform sends again what was acknowledged too late.
  return !["cron", "channel"].includes(triggerType);
}

/** Records that a run is refused. A flood of refused runs must not fill the disk. */
export async function dropRun(
  db: RunTransaction,
  { run }: Pick<AcceptWrite, "run">,
  reason: DropReason,
): Promise<Acceptance> {
  const record = await countInRecord(db, run);
  if (record === null) {
    await insertRun(db, run, { state: "dropped" });
    return { kind: "dropped", reason, runId: run.id };
  }
  if (mayComeAgain(run)) {
    await db.run("delete from workflow_deliveries where run_id = ?", [run.id]);
  } else {
    await db.run("update workflow_deliveries set run_id = ? where run_id = ?", [record, run.id]);
  }
  return { kind: "dropped", reason, runId: record };
}

/** Counts the run in the record of an earlier one and returns its id; null if there is none. */
async function countInRecord(
  db: RunTransaction,
  { workflowId, triggerId, startedBy, mode, createdAt }: AcceptWrite["run"],
): Promise<string | null> {
  const [record] = await db.all<{ id: string }>(
    `update workflow_runs set dropped_runs = coalesce(dropped_runs, 1) + 1
     where id = (select id from workflow_runs
       where workflow_id = ? and trigger_id = ? and started_by = ? and state = 'dropped' and mode = ? and id >= ?
       order by id desc limit 1)
     returning id`,
    [workflowId, triggerId, startedBy, mode, toFirstId(createdAt - countedMs)],
  );
  return record?.id ?? null;
}
