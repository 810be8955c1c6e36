import {
  newRunMembers,
  type StoredRun,
  toRunColumn,
  type WorkflowRunMode,
} from "../workflow-runs/workflow-run-columns.ts";
import type { ClaimedRun, ClaimWrite, QueuePolicy } from "../workflow-runs/workflow-run-records.ts";
import { hasCapacity, isActive, toRunKind } from "./count-active-runs.ts";
import type { MarkingTransaction, RunTransaction } from "./run-transaction.ts";

export async function claimRun(db: RunTransaction, write: ClaimWrite): Promise<ClaimedRun | null> {
  const { runId, workflowId, instanceId, at, queue } = write;
  const [due] = await db.all<DueRunRow>(
    `select state, scheduled_at, event_bytes, mode from workflow_runs
     where id = ? and due_at <= ? and lease_instance is null
       and state in ('queued', 'running', 'waiting')`,
    [runId, at],
  );
  if (due === undefined) return null;
  if (due.mode !== "live") return await takeRun(db, runId, instanceId, at);
  const kind = toRunKind(due);
  if (due.state === "queued" && !(await hasCapacity(db.counts, workflowId, queue))) {
    // It is due, but now it waits for capacity: the end of a run starts it.
    await db.run("update workflow_runs set due_at = null, scheduled_at = null where id = ?", [
      runId,
    ]);
    db.counts.move({ workflowId, bytes: due.event_bytes }, kind, "queued");
    return null;
  }
  db.counts.move({ workflowId, bytes: due.event_bytes }, kind, "running");
  return await takeRun(db, runId, instanceId, at);
}

type DueRunRow = {
  state: string;
  scheduled_at: number | null;
  event_bytes: number;
  mode: WorkflowRunMode;
};

/** After a run has ended or was parked, the oldest one that waits for capacity may start. */
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
  if (next === undefined || !(await hasCapacity(db.counts, workflowId, queue))) return null;
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
  const { leaseNumber: number, hasAnswer, ...run } = row;
  return { ...run, lease: { instanceId, number }, hasAnswer: Boolean(hasAnswer) };
}

const claimedMembers = [
  ...newRunMembers.filter((member) => member !== "raw"),
  ...(["activeMs", "eventBytes", "cancelRequestedAt", "leaseNumber"] as const),
];

const claimedColumns = [
  ...claimedMembers.map((member) => `${toRunColumn(member)} as "${member}"`),
  'answer is not null as "hasAnswer"',
].join(", ");

type ClaimedRow = Pick<StoredRun, (typeof claimedMembers)[number]> & {
  hasAnswer: number | boolean;
};

/** Makes a run due that waits for another one. */
export async function wakeRun(db: MarkingTransaction, runId: string, at: number): Promise<void> {
  const woken = await db.run(
    "update workflow_runs set due_at = ? where id = ? and state in ('running', 'waiting')",
    [at, runId],
  );
  if (woken > 0) db.markDue({ runId, dueAt: at });
}
