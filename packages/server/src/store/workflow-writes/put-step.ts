import type { StepRecord } from "../workflow-runs/workflow-run-records.ts";
import type { RunTransaction } from "./run-transaction.ts";

/** Stores a step, in place of what was stored of it before. */
export async function putStep(db: RunTransaction, runId: string, step: StepRecord): Promise<void> {
  await db.run(
    `insert into workflow_steps (
       run_id, node_id, item, position, state, tries, started_at, ended_at, wake_at, case_name,
       call_run_id, child_run_id, error, warnings, input, output, flags
     ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (run_id, node_id, item) do update set
       position = excluded.position, state = excluded.state, tries = excluded.tries,
       started_at = excluded.started_at, ended_at = excluded.ended_at, wake_at = excluded.wake_at,
       case_name = excluded.case_name, call_run_id = excluded.call_run_id,
       child_run_id = excluded.child_run_id, error = excluded.error, warnings = excluded.warnings,
       input = excluded.input, output = excluded.output, flags = excluded.flags`,
    [
      runId,
      step.nodeId,
      step.item,
      step.position,
      step.state,
      step.tries,
      step.startedAt,
      step.endedAt,
      step.wakeAt,
      step.caseName,
      step.callRunId,
      step.childRunId,
      step.error,
      step.warnings,
      step.input,
      step.output,
      step.flags,
    ],
  );
}
