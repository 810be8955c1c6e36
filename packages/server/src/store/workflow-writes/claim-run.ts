import type {
  ClaimedRun,
  ClaimWrite,
  QueuePolicy,
  WorkflowRunMode,
} from "../workflow-run-records.ts";
import { hasRoom, isActive, toRunKind } from "./run-counts.ts";
import type { MarkingTransaction, RunTransaction } from "./run-transaction.ts";

export async function claimRun(db: RunTransaction, write: ClaimWrite): Promise<ClaimedRun | null> {
  const { runId, workflowId, instanceId, at, queue } = write;
  const [due] = await db.all<StoredPlace>(
    `select state, scheduled_at, event_bytes, mode from workflow_runs
     where id = ? and due_at <= ? and lease_instance is null
       and state in ('queued', 'running', 'waiting')`,
    [runId, at],
  );
  if (due === undefined) return null;
  if (due.mode !== "live") return await takeRun(db, runId, instanceId, at);
  const kind = toRunKind(due);
  if (due.state === "queued" && !(await hasRoom(db.counts, workflowId, queue))) {
    // It is due, but now it waits for room: the end of a run starts it.
    await db.run("update workflow_runs set due_at = null, scheduled_at = null where id = ?", [
      runId,
    ]);
    db.counts.move({ workflowId, bytes: due.event_bytes }, kind, "queued");
    return null;
  }
  db.counts.move({ workflowId, bytes: due.event_bytes }, kind, "running");
  return await takeRun(db, runId, instanceId, at);
}

type StoredPlace = {
  state: string;
  scheduled_at: number | null;
  event_bytes: number;
  mode: WorkflowRunMode;
};

/** After a run has ended or was parked, the oldest one that waits for room may start. */
export async function promoteNext(
  db: MarkingTransaction,
  { workflowId, at, queue, claimBy }: Promotion,
): Promise<ClaimedRun | null> {
  const [next] = await db.all<{ id: string; event_bytes: number }>(
    `select id, event_bytes from workflow_runs
     where workflow_id = ? and mode = 'live' and state = 'queued' and ${isActive} and scheduled_at is null
     order by id limit 1`,
    [workflowId],
  );
  if (next === undefined || !(await hasRoom(db.counts, workflowId, queue))) return null;
  if (claimBy !== null) {
    db.counts.move({ workflowId, bytes: next.event_bytes }, "queued", "running");
    return await takeRun(db, next.id, claimBy, at);
  }
  await db.run("update workflow_runs set due_at = ? where id = ?", [at, next.id]);
  db.markDue({ runId: next.id, dueAt: at });
  return null;
}

type Promotion = {
  workflowId: string;
  at: number;
  queue: QueuePolicy;
  claimBy: string | null;
};

async function takeRun(
  db: RunTransaction,
  runId: string,
  instanceId: string,
  at: number,
): Promise<ClaimedRun> {
  const [row] = await db.all<ClaimedRow>(
    `update workflow_runs set state = 'running', lease_instance = ?, lease_number = lease_number + 1,
       due_at = null, scheduled_at = null, waiting_for = null, started_at = coalesce(started_at, ?)
     where id = ? returning ${claimedColumns}`,
    [instanceId, at, runId],
  );
  if (row === undefined) throw new Error(`There is no run ${runId} to take.`);
  return {
    id: row.id,
    workflowId: row.workflow_id,
    bodyId: row.body_id,
    version: row.version,
    ownerId: row.owner_id,
    triggerId: row.trigger_id,
    triggerType: row.trigger_type,
    entry: row.entry,
    startedBy: row.started_by,
    starterIds: row.starter_ids,
    parentRunId: row.parent_run_id,
    waiterRunId: row.waiter_run_id,
    errorDepth: row.error_depth,
    chainDepth: row.chain_depth,
    nesting: row.nesting,
    severity: row.severity,
    createdAt: row.created_at,
    scheduledAt: row.scheduled_at,
    event: row.event,
    eventBytes: row.event_bytes,
    lease: { instanceId, number: row.lease_number },
    activeMs: row.active_ms,
    hasAnswer: Boolean(row.has_answer),
    cancelRequestedAt: row.cancel_requested_at,
    mode: row.mode,
    originRunId: row.origin_run_id,
    given: row.given,
  };
}

const claimedColumns = `id, workflow_id, body_id, version, owner_id, trigger_id, trigger_type, entry,
  started_by, starter_ids, parent_run_id, waiter_run_id, error_depth, chain_depth, nesting, severity, created_at,
  scheduled_at, lease_number, active_ms, answer is not null as has_answer, cancel_requested_at, event_bytes, event,
  mode, origin_run_id, given`;

type ClaimedRow = {
  id: string;
  workflow_id: string;
  body_id: string;
  version: number | null;
  owner_id: string;
  trigger_id: string;
  trigger_type: string;
  entry: string;
  started_by: string;
  starter_ids: string | null;
  parent_run_id: string | null;
  waiter_run_id: string | null;
  error_depth: number;
  chain_depth: number;
  nesting: number;
  severity: string;
  created_at: number;
  scheduled_at: number | null;
  lease_number: number;
  active_ms: number;
  has_answer: number | boolean;
  cancel_requested_at: number | null;
  event_bytes: number;
  event: string;
  mode: WorkflowRunMode;
  origin_run_id: string | null;
  given: string | null;
};

/** Makes a run due that waits for another one. */
export async function wakeRun(db: MarkingTransaction, runId: string, at: number): Promise<void> {
  const woken = await db.run(
    "update workflow_runs set due_at = ? where id = ? and state in ('running', 'waiting')",
    [at, runId],
  );
  if (woken > 0) db.markDue({ runId, dueAt: at });
}
