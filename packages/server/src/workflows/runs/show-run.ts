import { type Json, parseJson } from "@hub/connector";
import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowRun, WorkflowRunDetail, WorkflowStep } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import type { Db } from "../../store/database/database.ts";
import { listAskedCalls } from "../../store/pending/asked-calls.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import type { StepRecord } from "../../store/workflow-runs/workflow-run-records.ts";
import { readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import { readSteps } from "../../store/workflow-runs/workflow-steps.ts";
import { findAccess } from "../definition/workflow-access.ts";
import { readFlags } from "../engine/step/step-records.ts";
import { findAsked, toAskedSteps } from "../engine/walk/asked-steps.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import { openShownEvent } from "./open-shown-event.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** What of an event or output is shown. */
const shownBytesMax = 64 * 1024;

/** A run with its event and, page by page, its steps, which only the owner and admins see. */
export type OpenedRun = {
  head: Omit<WorkflowRunDetail, "steps">;
  /** Null for callers who only share a tag. */
  steps: AsyncGenerator<WorkflowStep[]> | null;
};

/** With a node, only the steps of that node. */
export async function openRun(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
  nodeId?: string,
): Promise<OpenedRun> {
  const { workflow, run } = await loadPermittedRun({ store }, caller, target, "see");
  const reads = findAccess(caller, workflow) === "manage";
  if (!reads) return { head: { ...toRun(run, false), event: null }, steps: null };
  const stored = await readRunEvent(store.db, run.id);
  const event = stored === null ? null : cut(openShownEvent(stored));
  return {
    head: { ...toRun(run, true), event },
    steps: toShown(store.db, run, readSteps(store.db, run.id, nodeId)),
  };
}

/** A run with all its steps. For commands: a server reads them page by page, since a run may have many. */
export async function showRun(
  deps: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
): Promise<WorkflowRunDetail> {
  const { head, steps } = await openRun(deps, caller, target);
  return { ...head, steps: steps === null ? null : (await Array.fromAsync(steps)).flat() };
}

async function* toShown(
  db: Db,
  { id: runId, ownerId }: WorkflowRunRecord,
  pages: AsyncIterable<StepRecord[]>,
): AsyncGenerator<WorkflowStep[]> {
  for await (const page of pages) {
    const isAsked = page.some((step) => readFlags(step).includes("asked"));
    const calls = isAsked ? await listAskedCalls(db, { ownerId, runId }) : [];
    const asked = toAskedSteps(calls);
    yield page.map((step) => toStep(step, findAsked(asked, step)?.id ?? null));
  }
}

export function toRun(run: WorkflowRunRecord, reads: boolean): WorkflowRun {
  const toTime = (at: number | null) => (at === null ? null : toTimeText(at));
  return {
    id: run.id,
    workflow_id: run.workflowId,
    version: run.version,
    state: run.state,
    mode: run.mode,
    trigger_id: run.triggerId,
    trigger_type: run.triggerType,
    started_by: reads ? run.startedBy : null,
    parent_run_id: run.parentRunId,
    resumed_by_run_id: run.resumedBy,
    dropped_runs: run.state === "dropped" ? (run.droppedRuns ?? 1) : null,
    error: reads && run.error !== null ? JSON.parse(run.error) : null,
    waiting_for: reads && run.waitingFor !== null ? JSON.parse(run.waitingFor) : null,
    scheduled_at: toTime(run.scheduledAt),
    created_at: toTimeText(run.createdAt),
    started_at: toTime(run.startedAt),
    ended_at: toTime(run.endedAt),
  };
}

function toStep(step: StepRecord, pendingCallId: string | null): WorkflowStep {
  const toTime = (at: number | null) => (at === null ? null : toTimeText(at));
  const read = (text: string | null) => (text === null ? null : cut(parseJson(text)));
  return {
    node_id: step.nodeId,
    item: step.item < 0 ? null : step.item,
    state: step.state,
    tries: step.tries,
    case: step.caseName,
    input: read(step.input),
    output: read(step.output),
    error: step.error === null ? null : JSON.parse(step.error),
    warnings: step.warnings === null ? [] : JSON.parse(step.warnings),
    ...toFlags(step),
    skip_reason: toSkipReason(step),
    call_run_id: step.callRunId,
    pending_call_id: pendingCallId,
    child_run_id: step.childRunId,
    wake_at: toTime(step.wakeAt),
    started_at: toTime(step.startedAt),
    ended_at: toTime(step.endedAt),
  };
}

/** Why a step ran nothing: nodes that no edge leads to have no step. */
export function toSkipReason({ state }: Pick<StepRecord, "state">): WorkflowStep["skip_reason"] {
  return state === "skipped" ? "disabled" : null;
}

/** What is special about a step. */
export function toFlags(step: Pick<StepRecord, "flags">) {
  const flags = new Set(readFlags(step));
  return {
    would_call: flags.has("would_call"),
    is_pinned: flags.has("pinned"),
    is_taken_over: flags.has("taken_over"),
    is_decided: flags.has("decided"),
    may_have_happened: flags.has("unsure"),
  };
}

function cut(value: Json): Json {
  return cutJson(value, shownBytesMax, cutSealedText);
}
