import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowScheduledRun } from "@hub/contract/workflow-scheduled.ts";
import type { Caller } from "../../caller.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { transaction } from "../../store/database/database.ts";
import {
  dropScheduledRun,
  findScheduledRun,
  listScheduledRuns,
  moveScheduledRun,
  type ScheduledRun,
} from "../../store/workflow-runs/scheduled-runs-table.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import { type Author, loadWorkflow } from "../definition/workflow-access.ts";
import { scheduleAheadMsMin } from "../triggers/find-schedule-time.ts";
import { parseIsoTime } from "../triggers/parse-iso-time.ts";

type ScheduledDeps = Pick<DefinitionDeps, "store" | "now">;

/** The runs of a workflow that wait for their time, the next one first. For its owner and admins. */
export async function listScheduled(
  { store }: ScheduledDeps,
  caller: Caller,
  id: string,
  page: PageInput = {},
): Promise<Page<WorkflowScheduledRun>> {
  await loadWorkflow(store.db, caller, id, "manage");
  const { items, next } = await readPage(page, {
    keyType: "number",
    read(after, limit) {
      const start = after && { scheduledAt: Number(after.key), id: after.id };
      return listScheduledRuns(store.db, id, { after: start, limit });
    },
    toCursor: (run) => ({ key: run.scheduledAt, id: run.id }),
  });
  return { items: items.map(toScheduledRun), next };
}

export type MoveInput = {
  /** ISO 8601 with an offset, or Unix seconds. At least one second ahead. */
  scheduledAt: string | number;
};

/** Gives a run that waits for its time another time. */
export async function moveScheduled(
  { store, now }: ScheduledDeps,
  { caller, actor }: Author,
  { workflowId, runId }: { workflowId: string; runId: string },
  input: MoveInput,
): Promise<WorkflowScheduledRun> {
  const at = now();
  const scheduledAt = parseIsoTime(input.scheduledAt, "scheduled_at");
  if (scheduledAt < at + scheduleAheadMsMin) {
    throw new HubError("bad_request", "scheduled_at must be at least one second ahead.");
  }
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const { name } = await loadWorkflow(trx, caller, workflowId, "manage");
    const address = { workflowId, id: runId };
    const present = await findScheduledRun(trx, address);
    const isMoved = present && (await moveScheduledRun(trx, { ...address, scheduledAt }));
    if (!present || !isMoved) throw toMissing();
    const times = { from: toTimeText(present.scheduledAt), to: toTimeText(scheduledAt) };
    await recordChange(trx, stamp, {
      action: "workflow.move_run",
      kind: "workflow",
      id: workflowId,
      name,
      detail: { run: runId, scheduled_at: times },
    });
    return toScheduledRun({ ...present, scheduledAt });
  });
}

/** Cancels a run before its time. */
export async function dropScheduled(
  { store, now }: ScheduledDeps,
  { caller, actor }: Author,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<WorkflowScheduledRun> {
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const { name } = await loadWorkflow(trx, caller, workflowId, "manage");
    const address = { workflowId, id: runId };
    const present = await findScheduledRun(trx, address);
    const reason = "The run was removed from the schedule.";
    const isDropped = present && (await dropScheduledRun(trx, { ...address, reason, at }));
    if (!present || !isDropped) throw toMissing();
    await recordChange(trx, stamp, {
      action: "workflow.drop_run",
      kind: "workflow",
      id: workflowId,
      name,
      detail: { run: runId, scheduled_at: toTimeText(present.scheduledAt) },
    });
    return toScheduledRun(present);
  });
}

function toMissing(): HubError {
  return new HubError(
    "not_found",
    "There is no such scheduled run. It may have started or been dropped.",
  );
}

function toScheduledRun(run: ScheduledRun): WorkflowScheduledRun {
  return {
    id: run.id,
    scheduled_at: toTimeText(run.scheduledAt),
    created_at: toTimeText(run.createdAt),
    trigger_id: run.triggerId,
    version: run.version,
    chain_depth: run.chainDepth,
  };
}
