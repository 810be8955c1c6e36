import type {
  Acceptance,
  AcceptWrite,
  Cancellation,
  CancelWrite,
  ClaimedRun,
  ClaimWrite,
  Commitment,
  CommitWrite,
  Lease,
  QueuePolicy,
  RunTurn,
  StepRecord,
} from "./workflow-run-records.ts";

/** Runs the statements of one transaction. Parameters stand as `?`. */
export type Statements = {
  all<R>(text: string, parameters: readonly StatementValue[]): R[] | Promise<R[]>;
  /** Returns how many rows were written. */
  run(text: string, parameters: readonly StatementValue[]): number | Promise<number>;
};

export type StatementValue = string | number | null | Uint8Array;

/** The condition of the index of active runs. SQLite uses the index only in statements that repeat it. */
export const isActive = "state in ('queued', 'running', 'waiting')";

export type WorkflowWrite =
  | { kind: "accept"; write: AcceptWrite }
  | { kind: "commit"; write: CommitWrite }
  | { kind: "claim"; write: ClaimWrite }
  | { kind: "cancel"; write: CancelWrite };

export type WorkflowWriteResult = Acceptance | Commitment | ClaimedRun | Cancellation | null;

/** Carries out one write in the transaction of `db`. */
export function applyWorkflowWrite(
  db: Statements,
  entry: WorkflowWrite,
): Promise<WorkflowWriteResult> {
  switch (entry.kind) {
    case "accept":
      return acceptRun(db, entry.write);
    case "commit":
      return commitSteps(db, entry.write);
    case "claim":
      return claimRun(db, entry.write);
    case "cancel":
      return cancelRun(db, entry.write);
  }
}

/** The keys by which transactions of several processes take turns. */
export function listLockKeys(entries: readonly WorkflowWrite[]): string[] {
  const ids = new Set<string>();
  for (const { kind, write } of entries) {
    ids.add(kind === "accept" ? write.run.workflowId : write.workflowId);
    if (kind === "commit") for (const { run } of write.starts) ids.add(run.workflowId);
  }
  return [...ids].map((id) => `workflow:${id}`);
}

async function acceptRun(db: Statements, write: AcceptWrite): Promise<Acceptance> {
  const { run, queue, deliveryId } = write;
  if (deliveryId !== null) {
    const known = await claimDelivery(db, write, deliveryId);
    if (known !== null) return { kind: "repeated", runId: known };
  }
  const acceptance = await findPlace(db, write);
  if (acceptance.kind === "dropped") await insertRun(db, run, { state: "dropped" });
  else if (acceptance.kind === "started") {
    await insertRun(db, run, { state: "running", lease: acceptance.lease });
  } else {
    const isHere = acceptance.kind === "queued" && (await hasRoom(db, run.workflowId, queue));
    // With room, the process that asked has none itself, so any process may take the run at once.
    const dueAt = acceptance.kind === "scheduled" ? run.scheduledAt : isHere ? run.createdAt : null;
    await insertRun(db, run, { state: "queued", dueAt });
  }
  return acceptance;
}

/** Returns the run that this delivery has already, or null after taking it for the new run. */
async function claimDelivery(
  db: Statements,
  { run }: AcceptWrite,
  deliveryId: string,
): Promise<string | null> {
  const key = [run.workflowId, run.triggerId, deliveryId];
  const inserted = await db.run(
    `insert into workflow_deliveries (workflow_id, trigger_id, delivery_id, run_id, received_at)
     values (?, ?, ?, ?, ?) on conflict (workflow_id, trigger_id, delivery_id) do nothing`,
    [...key, run.id, run.createdAt],
  );
  if (inserted > 0) return null;
  const [known] = await db.all<{ run_id: string; state: string | null }>(
    `select d.run_id, r.state from workflow_deliveries d left join workflow_runs r on r.id = d.run_id
     where d.workflow_id = ? and d.trigger_id = ? and d.delivery_id = ?`,
    key,
  );
  // Senders send a failed delivery again under the same id. A tick comes from several servers instead.
  const mayRepeat =
    run.triggerType !== "cron" &&
    (known?.state === null || ["failed", "cancelled", "dropped"].includes(String(known?.state)));
  if (known !== undefined && !mayRepeat) return known.run_id;
  await db.run(
    `update workflow_deliveries set run_id = ?, received_at = ?
     where workflow_id = ? and trigger_id = ? and delivery_id = ?`,
    [run.id, run.createdAt, ...key],
  );
  return null;
}

/** Decides by the queue policy what becomes of a new run. */
async function findPlace(
  db: Statements,
  { run, queue, claimBy }: AcceptWrite,
): Promise<Acceptance> {
  if (run.scheduledAt !== null) {
    const count = await countUpTo(
      db,
      run.workflowId,
      "scheduled_at is not null",
      queue.scheduledMax,
    );
    return count < queue.scheduledMax
      ? { kind: "scheduled" }
      : { kind: "dropped", reason: "too_many_scheduled" };
  }
  const isFirst = (await countUpTo(db, run.workflowId, "scheduled_at is null", 1)) === 0;
  const hasPlace = isFirst && (await hasRoom(db, run.workflowId, queue));
  if (hasPlace && claimBy !== null) {
    return { kind: "started", lease: { instanceId: claimBy, number: 1 } };
  }
  if (!hasPlace && queue.policy === "drop") return { kind: "dropped", reason: "busy" };
  const [waiting] = await db.all<{ runs: number; bytes: number | null }>(
    `select count(*) as runs, sum(event_bytes) as bytes from (
       select event_bytes from workflow_runs
       where workflow_id = ? and state = 'queued' and ${isActive} and scheduled_at is null
       limit ?) as waiting`,
    [run.workflowId, queue.waitingMax],
  );
  const { runs = 0, bytes = 0 } = waiting ?? {};
  const isFull =
    runs >= queue.waitingMax || Number(bytes) + toEventBytes(run) > queue.waitingBytesMax;
  return isFull ? { kind: "dropped", reason: "queue_full" } : { kind: "queued" };
}

async function countUpTo(
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
async function hasRoom(db: Statements, workflowId: string, queue: QueuePolicy): Promise<boolean> {
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

type RunPlace =
  | { state: "running"; lease: Lease }
  | { state: "queued"; dueAt: number | null }
  | { state: "dropped" };

async function insertRun(db: Statements, run: AcceptWrite["run"], place: RunPlace): Promise<void> {
  const lease = place.state === "running" ? place.lease : null;
  await db.run(
    `insert into workflow_runs (
       id, workflow_id, body_id, version, state, owner_id, trigger_id, trigger_type, entry, started_by,
       parent_run_id, waiter_run_id, error_depth, chain_depth, nesting, severity, created_at, started_at,
       ended_at, due_at, scheduled_at, lease_instance, lease_number, active_ms, event_bytes, event, raw
     ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`,
    [
      run.id,
      run.workflowId,
      run.bodyId,
      run.version,
      place.state,
      run.ownerId,
      run.triggerId,
      run.triggerType,
      run.entry,
      run.startedBy,
      run.parentRunId,
      run.waiterRunId,
      run.errorDepth,
      run.chainDepth,
      run.nesting,
      run.severity,
      run.createdAt,
      lease === null ? null : run.createdAt,
      place.state === "dropped" ? run.createdAt : null,
      place.state === "queued" ? place.dueAt : null,
      run.scheduledAt,
      lease?.instanceId ?? null,
      lease?.number ?? 0,
      toEventBytes(run),
      // A flood of refused runs must not fill the disk.
      place.state === "dropped" ? "{}" : run.event,
      place.state === "dropped" ? null : run.raw,
    ],
  );
}

/** What a run holds in memory while it runs. */
export function toEventBytes({ event, raw }: Pick<AcceptWrite["run"], "event" | "raw">): number {
  return event.length + (raw?.byteLength ?? 0);
}

async function commitSteps(db: Statements, write: CommitWrite): Promise<Commitment> {
  const { runId, lease, steps, answer, starts } = write;
  const held = await db.all(
    `select 1 from workflow_runs
     where id = ? and lease_instance = ? and lease_number = ? and state = 'running'`,
    [runId, lease.instanceId, lease.number],
  );
  if (held.length === 0) return { lost: true };
  for (const step of steps) await putStep(db, runId, step);
  if (answer !== null) {
    await db.run("update workflow_runs set answer = ? where id = ? and answer is null", [
      answer,
      runId,
    ]);
  }
  const acceptances: Acceptance[] = [];
  for (const start of starts) acceptances.push(await acceptRun(db, start));
  return { lost: false, acceptances, next: await takeTurn(db, write) };
}

async function putStep(db: Statements, runId: string, step: StepRecord): Promise<void> {
  await db.run(
    `insert into workflow_steps (
       run_id, node_id, item, position, state, tries, started_at, ended_at, wake_at, case_name,
       call_run_id, child_run_id, error, warnings, input, output
     ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (run_id, node_id, item) do update set
       position = excluded.position, state = excluded.state, tries = excluded.tries,
       started_at = excluded.started_at, ended_at = excluded.ended_at, wake_at = excluded.wake_at,
       case_name = excluded.case_name, call_run_id = excluded.call_run_id,
       child_run_id = excluded.child_run_id, error = excluded.error, warnings = excluded.warnings,
       input = excluded.input, output = excluded.output`,
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
    ],
  );
}

async function takeTurn(db: Statements, write: CommitWrite): Promise<ClaimedRun | null> {
  switch (write.turn.kind) {
    case "go_on":
      return null;
    case "park":
      return await parkRun(db, write, write.turn);
    case "end":
      return await endRun(db, write, write.turn);
  }
}

async function parkRun(
  db: Statements,
  { runId, workflowId, at }: CommitWrite,
  { dueAt, waitingFor, activeMs, queue, claimBy }: Extract<RunTurn, { kind: "park" }>,
): Promise<ClaimedRun | null> {
  // A run for which this one waits may have ended while this one was running: then it is due already.
  await db.run(
    `update workflow_runs set state = 'waiting', due_at = coalesce(due_at, ?), waiting_for = ?,
       lease_instance = null, active_ms = ? where id = ?`,
    [dueAt, waitingFor, activeMs, runId],
  );
  return queue === null ? null : await promoteNext(db, { workflowId, at, queue, claimBy });
}

async function endRun(
  db: Statements,
  { runId, workflowId, at }: CommitWrite,
  turn: Extract<RunTurn, { kind: "end" }>,
): Promise<ClaimedRun | null> {
  const { state, error, lastNode, waiterRunId, activeMs, queue, claimBy } = turn;
  await db.run(
    `update workflow_runs set state = ?, ended_at = ?, error = ?, last_node = ?, active_ms = ?,
       lease_instance = null, due_at = null, waiting_for = null, cancel_requested_at = null where id = ?`,
    [state, at, error, lastNode, activeMs, runId],
  );
  if (waiterRunId !== null) await wakeRun(db, waiterRunId, at);
  return await promoteNext(db, { workflowId, at, queue, claimBy });
}

/** Makes a run due that waits for another one. */
async function wakeRun(db: Statements, runId: string, at: number): Promise<void> {
  await db.run(
    "update workflow_runs set due_at = ? where id = ? and state in ('running', 'waiting')",
    [at, runId],
  );
}

type Promotion = { workflowId: string; at: number; queue: QueuePolicy; claimBy: string | null };

/** After a run has ended or was parked, the oldest one that waits for room may start. */
async function promoteNext(
  db: Statements,
  { workflowId, at, queue, claimBy }: Promotion,
): Promise<ClaimedRun | null> {
  const [next] = await db.all<{ id: string }>(
    `select id from workflow_runs
     where workflow_id = ? and state = 'queued' and ${isActive} and scheduled_at is null
     order by id limit 1`,
    [workflowId],
  );
  if (next === undefined || !(await hasRoom(db, workflowId, queue))) return null;
  if (claimBy !== null) return await takeRun(db, next.id, claimBy, at);
  await db.run("update workflow_runs set due_at = ? where id = ?", [at, next.id]);
  return null;
}

async function claimRun(db: Statements, write: ClaimWrite): Promise<ClaimedRun | null> {
  const { runId, workflowId, instanceId, at, queue } = write;
  const [due] = await db.all<{ state: string }>(
    `select state from workflow_runs
     where id = ? and due_at <= ? and lease_instance is null
       and state in ('queued', 'running', 'waiting')`,
    [runId, at],
  );
  if (due === undefined) return null;
  if (due.state === "queued" && !(await hasRoom(db, workflowId, queue))) {
    // It is due, but now it waits for room: the end of a run starts it.
    await db.run("update workflow_runs set due_at = null, scheduled_at = null where id = ?", [
      runId,
    ]);
    return null;
  }
  return await takeRun(db, runId, instanceId, at);
}

const claimedColumns = `id, workflow_id, body_id, version, owner_id, trigger_id, trigger_type, entry,
  started_by, parent_run_id, waiter_run_id, error_depth, chain_depth, nesting, severity, created_at,
  scheduled_at, lease_number, active_ms, answer is not null as has_answer, cancel_requested_at, event_bytes, event`;

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
};

async function takeRun(
  db: Statements,
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
  };
}

async function cancelRun(db: Statements, write: CancelWrite): Promise<Cancellation> {
  const { runId, workflowId, at, reason, queue } = write;
  const [run] = await db.all<{
    state: string;
    lease_instance: string | null;
    waiter_run_id: string | null;
  }>(
    "select state, lease_instance, waiter_run_id from workflow_runs where id = ? and workflow_id = ?",
    [runId, workflowId],
  );
  if (run === undefined) return "absent";
  if (!["queued", "running", "waiting"].includes(run.state)) return "ended";
  if (run.lease_instance !== null) {
    await db.run(
      `update workflow_runs set cancel_requested_at = coalesce(cancel_requested_at, ?),
         cancel_reason = coalesce(cancel_reason, ?) where id = ?`,
      [at, reason, runId],
    );
    return "asked";
  }
  await db.run(
    `update workflow_runs set state = 'cancelled', ended_at = ?, cancel_reason = ?, due_at = null,
       scheduled_at = null, waiting_for = null where id = ?`,
    [at, reason, runId],
  );
  await db.run(
    `update workflow_steps set state = 'cancelled', ended_at = ?
     where run_id = ? and state in ('running', 'waiting')`,
    [at, runId],
  );
  if (run.waiter_run_id !== null) await wakeRun(db, run.waiter_run_id, at);
  await promoteNext(db, { workflowId, at, queue, claimBy: null });
  return "cancelled";
}
