import {
  type NewWorkflowRun,
  newRunMembers,
  type StoredRun,
  toRunColumn,
} from "../workflow-runs/workflow-run-columns.ts";
import type { Lease } from "../workflow-runs/workflow-run-records.ts";
import { toRunKind } from "./count-active-runs.ts";
import type { RunTransaction } from "./run-transaction.ts";

type InitialState =
  | { state: "running"; lease: Lease }
  | { state: "queued"; dueAt: number | null }
  | { state: "dropped" };

/** Stores a run in its initial state. Of a dropped run, neither the event nor the context is kept. */
export async function insertRun(
  db: RunTransaction,
  run: NewWorkflowRun,
  initial: InitialState,
): Promise<void> {
  const stored = toStoredRun(run, initial);
  await db.run(
    insertion,
    insertedMembers.map((member) => stored[member]),
  );
  if (initial.state === "dropped" || run.mode !== "live") return;
  const kind = toRunKind({ state: initial.state, scheduled_at: run.scheduledAt });
  db.counts.move({ workflowId: run.workflowId, bytes: toEventBytes(run) }, null, kind);
}

/** What a run has when it is stored beside what it was asked for with. */
const initialMembers = [
  "state",
  "startedAt",
  "endedAt",
  "dueAt",
  "leaseInstance",
  "leaseNumber",
  "activeMs",
  "eventBytes",
] as const satisfies readonly (keyof StoredRun)[];

const insertedMembers = [...newRunMembers, ...initialMembers];

const insertion = `insert into workflow_runs (${insertedMembers.map(toRunColumn).join(", ")})
  values (${insertedMembers.map(() => "?").join(", ")})`;

type InsertedRun = Pick<StoredRun, (typeof insertedMembers)[number]>;

function toStoredRun(run: NewWorkflowRun, initial: InitialState): InsertedRun {
  const lease = initial.state === "running" ? initial.lease : null;
  return {
    ...run,
    // A flood of refused runs must not fill the disk.
    ...(initial.state === "dropped" && { event: "{}", raw: null, context: null }),
    state: initial.state,
    startedAt: lease === null ? null : run.createdAt,
    endedAt: initial.state === "dropped" ? run.createdAt : null,
    dueAt: initial.state === "queued" ? initial.dueAt : null,
    leaseInstance: lease?.instanceId ?? null,
    leaseNumber: lease?.number ?? 0,
    activeMs: 0,
    eventBytes: toEventBytes(run),
  };
}

/** What a run holds in memory while it runs. */
export function toEventBytes({
  event,
  raw,
  context,
}: Pick<NewWorkflowRun, "event" | "raw" | "context">): number {
  return event.length + (raw?.byteLength ?? 0) + (context?.length ?? 0);
}
