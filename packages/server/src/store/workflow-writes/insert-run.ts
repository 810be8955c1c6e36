import type { AcceptWrite, Lease } from "../workflow-run-records.ts";
import { toRunKind } from "./run-counts.ts";
import type { RunTransaction } from "./run-transaction.ts";

type RunPlace =
  | { state: "running"; lease: Lease }
  | { state: "queued"; dueAt: number | null }
  | { state: "dropped" };

/** Stores a run in its place. Of a dropped one, neither the event nor what was given is kept. */
export async function insertRun(
  db: RunTransaction,
  run: AcceptWrite["run"],
  place: RunPlace,
): Promise<void> {
  const lease = place.state === "running" ? place.lease : null;
  await db.run(
    `insert into workflow_runs (
       id, workflow_id, body_id, version, state, owner_id, trigger_id, trigger_type, entry, started_by,
       starter_ids, parent_run_id, waiter_run_id, error_depth, chain_depth, nesting, severity, created_at, started_at,
       ended_at, due_at, scheduled_at, lease_instance, lease_number, active_ms, event_bytes, event, raw,
       mode, origin_run_id, given
     ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`,
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
      run.starterIds,
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
      run.mode,
      run.originRunId,
      place.state === "dropped" ? null : run.given,
    ],
  );
  if (place.state === "dropped" || run.mode !== "live") return;
  const kind = toRunKind({ state: place.state, scheduled_at: run.scheduledAt });
  db.counts.move({ workflowId: run.workflowId, bytes: toEventBytes(run) }, null, kind);
}

/** What a run holds in memory while it runs. */
export function toEventBytes({
  event,
  raw,
  given,
}: Pick<AcceptWrite["run"], "event" | "raw" | "given">): number {
  return event.length + (raw?.byteLength ?? 0) + (given?.length ?? 0);
}
