import {
  type NewWorkflowRun,
  newRunMembers,
  type StoredRun,
  toRunColumn,
} from "../workflow-run-columns.ts";
import type { Lease } from "../workflow-run-records.ts";
import { toRunKind } from "./run-counts.ts";
import type { RunTransaction } from "./run-transaction.ts";

type RunPlace =
  | { state: "running"; lease: Lease }
  | { state: "queued"; dueAt: number | null }
  | { state: "dropped" };

/** Stores a run in its place. Of a dropped one, neither the event nor the context is kept. */
export async function insertRun(
  db: RunTransaction,
  run: NewWorkflowRun,
  place: RunPlace,
): Promise<void> {
  const stored = toStoredRun(run, place);
  await db.run(
    insertion,
    insertedMembers.map((member) => stored[member]),
  );
  if (place.state === "dropped" || run.mode !== "live") return;
  const kind = toRunKind({ state: place.state, scheduled_at: run.scheduledAt });
  db.counts.move({ workflowId: run.workflowId, bytes: toEventBytes(run) }, null, kind);
}

/** What a run has when it is stored beside what it was asked for with. */
const placeMembers = [
  "state",
  "startedAt",
  "endedAt",
  "dueAt",
  "leaseInstance",
  "leaseNumber",
  "activeMs",
  "eventBytes",
] as const satisfies readonly (keyof StoredRun)[];

const insertedMembers = [...newRunMembers, ...placeMembers];

const insertion = `insert into workflow_runs (${insertedMembers.map(toRunColumn).join(", ")})
  values (${insertedMembers.map(() => "?").join(", ")})`;

type InsertedRun = Pick<StoredRun, (typeof insertedMembers)[number]>;

function toStoredRun(run: NewWorkflowRun, place: RunPlace): InsertedRun {
  const lease = place.state === "running" ? place.lease : null;
  return {
    ...run,
    // A flood of refused runs must not fill the disk.
    ...(place.state === "dropped" && { event: "{}", raw: null, context: null }),
    state: place.state,
    startedAt: lease === null ? null : run.createdAt,
    endedAt: place.state === "dropped" ? run.createdAt : null,
    dueAt: place.state === "queued" ? place.dueAt : null,
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
