import type {
  Acceptance,
  AcceptWrite,
  SignedRequest,
  TakeOver,
} from "../workflow-runs/workflow-run-records.ts";
import { hasCapacity, isActive } from "./count-active-runs.ts";
import { dropRun, mayComeAgain } from "./drop-run.ts";
import { insertRun, toEventBytes } from "./insert-run.ts";
import { putStep } from "./put-step.ts";
import type { MarkingTransaction, RunTransaction } from "./run-transaction.ts";

/** How long a delivery is known. Those that are older are purged hourly. */
const deliveryMsMax = 24 * 60 * 60 * 1000;
/** Dry runs and runs of one node that a workflow may have at the same time. */
const dryRunsMax = 32;

export async function acceptRun(db: MarkingTransaction, write: AcceptWrite): Promise<Acceptance> {
  const { run, queue, takeOver } = write;
  const known = await findRepeated(db, write);
  if (known !== null) return { kind: "repeated", runId: known };
  const acceptance = await decideAdmission(db, write);
  if (acceptance.kind === "dropped") return await dropRun(db, write, acceptance.reason);
  if (takeOver?.isResume && !(await claimResume(db, run, takeOver.runId))) {
    return { kind: "refused" };
  }
  if (acceptance.kind === "started") {
    await insertRun(db, run, { state: "running", lease: acceptance.lease });
  } else {
    const isHere =
      acceptance.kind === "queued" &&
      (run.mode !== "live" || (await hasCapacity(db.counts, run.workflowId, queue)));
    // There is capacity, but not in the process that asked, so any process may take the run at once.
    const dueAt = acceptance.kind === "scheduled" ? run.scheduledAt : isHere ? run.createdAt : null;
    await insertRun(db, run, { state: "queued", dueAt });
    if (dueAt !== null) db.markDue({ runId: run.id, dueAt });
  }
  await beginSteps(db, write);
  return acceptance;
}

/** False if the run has not ended, or another one resumes it already. */
async function claimResume(
  db: RunTransaction,
  { id, workflowId }: AcceptWrite["run"],
  resumedId: string,
): Promise<boolean> {
  const claimed = await db.run(
    `update workflow_runs set resumed_by = ?
     where id = ? and workflow_id = ? and resumed_by is null and state in ('failed', 'cancelled')`,
    [id, resumedId, workflowId],
  );
  return claimed > 0;
}

/** Stores the steps that a run begins with: those of an earlier run, and those that were given. */
async function beginSteps(
  db: RunTransaction,
  { run, takeOver, steps = [] }: AcceptWrite,
): Promise<void> {
  if (takeOver !== undefined) {
    const { nodeIds, partNodeIds, flag } = takeOver;
    // Pinned outputs are those of whole nodes.
    const whole =
      flag === "pinned"
        ? "item = -1 and output is not null"
        : "state in ('succeeded', 'failed', 'skipped')";
    await copySteps(db, run, takeOver, { nodeIds, condition: whole });
    const condition = "item >= 0 and state = 'succeeded'";
    await copySteps(db, run, takeOver, { nodeIds: partNodeIds, condition });
  }
  for (const step of steps) await putStep(db, run.id, step);
}

async function copySteps(
  db: RunTransaction,
  { id }: AcceptWrite["run"],
  { runId, flag }: TakeOver,
  { nodeIds, condition }: { nodeIds: readonly string[]; condition: string },
): Promise<void> {
  if (nodeIds.length === 0) return;
  const copied = `node_id, item, position, state, tries, started_at, ended_at, wake_at, case_name,
    call_run_id, child_run_id, error, warnings, input, output`;
  await db.run(
    `insert into workflow_steps (run_id, flags, ${copied})
     select cast(? as text), cast(? as text), ${copied} from workflow_steps
     where run_id = ? and ${condition} and node_id in (${nodeIds.map(() => "?").join(", ")})`,
    [id, JSON.stringify([flag]), runId, ...nodeIds],
  );
}

/** What became of a run that was stored before; null if it was not. */
export async function findAcceptance(
  db: RunTransaction,
  { run, claimBy }: AcceptWrite,
): Promise<Acceptance | null> {
  const [known] = await db.all<{
    state: string;
    lease_instance: string | null;
    lease_number: number;
  }>("select state, lease_instance, lease_number from workflow_runs where id = ?", [run.id]);
  if (known === undefined) return null;
  const { state, lease_instance: instanceId, lease_number: number } = known;
  if (state === "dropped") return { kind: "dropped", reason: "busy", runId: run.id };
  // No server works on it yet, because the answer of the commit was lost.
  if (state === "running" && instanceId !== null && instanceId === claimBy && number === 1) {
    return { kind: "started", lease: { instanceId, number } };
  }
  return { kind: run.scheduledAt === null ? "queued" : "scheduled" };
}

/** Returns the run that this request has already, or null after taking its delivery and its signature for the new run. */
async function findRepeated(db: RunTransaction, write: AcceptWrite): Promise<string | null> {
  const { deliveryId, signedRequest = null } = write;
  const repeated = deliveryId === null ? null : await claimDelivery(db, write, deliveryId);
  if (repeated !== null || signedRequest === null) return repeated;
  const replayed = await claimSigned(db, write, signedRequest);
  if (replayed !== null && deliveryId !== null) {
    await pointDelivery(db, write, deliveryId, { runId: replayed, at: write.run.createdAt });
  }
  return replayed;
}

/** A signed request that was seen starts nothing, unless its run was not taken. Kept with the deliveries as long as it is valid. */
async function claimSigned(
  db: RunTransaction,
  write: AcceptWrite,
  { id, validUntil }: SignedRequest,
): Promise<string | null> {
  const key = `signed:${id}`;
  const entry = { runId: write.run.id, at: validUntil - deliveryMsMax };
  const known = await insertDelivery(db, write, key, entry);
  if (known !== null && known.state !== "dropped") return known.runId;
  if (known !== null) await pointDelivery(db, write, key, entry);
  return null;
}

/** Returns the run that this delivery has already, or null after taking it for the new run. */
async function claimDelivery(
  db: RunTransaction,
  { run }: AcceptWrite,
  deliveryId: string,
): Promise<string | null> {
  const entry = { runId: run.id, at: run.createdAt };
  const known = await insertDelivery(db, { run }, deliveryId, entry);
  if (known === null) return null;
  // Senders send a failed delivery again under the same id.
  const mayRepeat =
    mayComeAgain(run) &&
    (known.state === null ||
      known.at <= run.createdAt - deliveryMsMax ||
      ["failed", "cancelled", "dropped"].includes(known.state));
  if (!mayRepeat) return known.runId;
  await pointDelivery(db, { run }, deliveryId, entry);
  return null;
}

type DeliveryEntry = { runId: string; at: number };

/** Returns what was known of this delivery before; null if it is new. */
async function insertDelivery(
  db: RunTransaction,
  { run }: Pick<AcceptWrite, "run">,
  deliveryId: string,
  { runId, at }: DeliveryEntry,
): Promise<(DeliveryEntry & { state: string | null }) | null> {
  const key = [run.workflowId, run.triggerId, deliveryId];
  const inserted = await db.run(
    `insert into workflow_deliveries (workflow_id, trigger_id, delivery_id, run_id, received_at)
     values (?, ?, ?, ?, ?) on conflict (workflow_id, trigger_id, delivery_id) do nothing`,
    [...key, runId, at],
  );
  if (inserted > 0) return null;
  const [known] = await db.all<{ run_id: string; received_at: number; state: string | null }>(
    `select d.run_id, d.received_at, r.state from workflow_deliveries d left join workflow_runs r on r.id = d.run_id
     where d.workflow_id = ? and d.trigger_id = ? and d.delivery_id = ?`,
    key,
  );
  if (known === undefined) return null;
  return { runId: known.run_id, at: Number(known.received_at), state: known.state };
}

async function pointDelivery(
  db: RunTransaction,
  { run }: Pick<AcceptWrite, "run">,
  deliveryId: string,
  { runId, at }: DeliveryEntry,
): Promise<void> {
  await db.run(
    `update workflow_deliveries set run_id = ?, received_at = ?
     where workflow_id = ? and trigger_id = ? and delivery_id = ?`,
    [runId, at, run.workflowId, run.triggerId, deliveryId],
  );
}

/** What becomes of a new run, before it is stored. */
type Admission =
  | Extract<Acceptance, { kind: "started" | "queued" | "scheduled" }>
  | Omit<Extract<Acceptance, { kind: "dropped" }>, "runId">;

/** Decides by the queue policy. */
async function decideAdmission(
  db: RunTransaction,
  { run, queue, claimBy }: AcceptWrite,
): Promise<Admission> {
  const { counts } = db;
  if (run.mode !== "live") return await admitDryRun(db, run, claimBy);
  if (run.scheduledAt !== null) {
    const scheduled = await counts.count(run.workflowId, "scheduled");
    return scheduled.runs < queue.scheduledMax
      ? { kind: "scheduled" }
      : { kind: "dropped", reason: "too_many_scheduled" };
  }
  const queued = await counts.count(run.workflowId, "queued");
  const isFree = queued.runs === 0 && (await hasCapacity(counts, run.workflowId, queue));
  if (isFree && claimBy !== null) {
    return { kind: "started", lease: { instanceId: claimBy, number: 1 } };
  }
  if (!isFree && queue.policy === "drop") return { kind: "dropped", reason: "busy" };
  const isFull =
    queued.runs >= queue.waitingMax || queued.bytes + toEventBytes(run) > queue.waitingBytesMax;
  return isFull ? { kind: "dropped", reason: "queue_full" } : { kind: "queued" };
}

/** Dry runs and runs of one node neither wait for live runs nor count as such. */
async function admitDryRun(
  db: RunTransaction,
  { workflowId }: AcceptWrite["run"],
  claimBy: string | null,
): Promise<Admission> {
  const [row] = await db.all<{ runs: number }>(
    `select count(*) as runs from workflow_runs
     where workflow_id = ? and mode in ('dry', 'node') and ${isActive}`,
    [workflowId],
  );
  if (Number(row?.runs ?? 0) >= dryRunsMax) return { kind: "dropped", reason: "queue_full" };
  if (claimBy === null) return { kind: "queued" };
  return { kind: "started", lease: { instanceId: claimBy, number: 1 } };
}
