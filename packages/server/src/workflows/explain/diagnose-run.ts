import { type Json, parseJson } from "@hub/connector";
import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowDiagnosis } from "@hub/contract/workflow-explanation.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { findRun } from "../../store/runs/runs-table.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import type { StepRecord } from "../../store/workflow-runs/workflow-run-records.ts";
import { findWorkflowRun, readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findStep } from "../../store/workflow-runs/workflow-steps.ts";
import { findFailedItem, listFailedNodes } from "../../store/workflow-runs/workflow-successes.ts";
import { loadBody } from "../definition/body-text.ts";
import { loadPermittedRun } from "../runs/load-permitted-run.ts";
import { openShownEvent } from "../runs/open-shown-event.ts";
import type { RunVerbDeps } from "../runs/run-verb-deps.ts";
import { toRun } from "../runs/show-run.ts";
import { buildGraph, type Graph } from "../validation/graph/body-graph.ts";
import { createPace } from "../validation/validation-pace.ts";
import {
  compareBodies,
  compareEvents,
  compareTexts,
  findAncestors,
  listEventPaths,
} from "./compare-runs.ts";
import { describeDiagnosis, type Findings } from "./describe-diagnosis.ts";
import { findMeaning } from "./error-meanings.ts";
import { findLastSuccess } from "./find-last-success.ts";
import { listRecords } from "./list-records.ts";
import { readParts } from "./read-parts.ts";

type DiagnoseDeps = Pick<RunVerbDeps, "store"> & { now(): number };

const failedMax = 20;

/** Why a run failed, or what it waits for. For those who may see its values. */
export async function diagnoseRun(
  deps: DiagnoseDeps,
  caller: Caller,
  target: { workflow: string; run: string },
): Promise<WorkflowDiagnosis> {
  const { db } = deps.store;
  const { workflow, run } = await loadPermittedRun(deps, caller, target, "manage");
  const body = await findBody(db, run.bodyId);
  const pace = createPace();
  const parts = await readParts(body, pace);
  const graph = buildGraph(parts);
  const shown = toRun(run, true);
  const step = await findStepOf(db, run);
  const ancestors = step === null ? new Set<string>() : findAncestors(graph, step.nodeId);
  const failed = await listFailedNodes(db, run.id, failedMax);
  const call = step?.callRunId ? await findRun(db, step.callRunId) : null;
  const httpStatus = call?.httpStatus ?? null;
  const error = step?.error ? readError(step.error) : shown.error;
  const found = step === null ? null : await findSuccess(db, run, step.nodeId);
  const node = step === null ? null : (graph.nodes.get(step.nodeId) ?? null);
  const changes =
    step === null || found?.success === null || found === null
      ? null
      : {
          ...(await compareWith(db, { run, body, step, graph, ancestors }, found.success)),
          records: await listRecords(db, caller, workflow, node, {
            from: found.success.step.startedAt,
            to: step.endedAt ?? deps.now(),
          }),
        };
  const findings: Findings = {
    run: shown,
    step: step === null ? null : toShownStep(step, httpStatus),
    led_by: failed
      .filter(({ nodeId }) => nodeId !== step?.nodeId && ancestors.has(nodeId))
      .map(({ nodeId, error: text }) => ({ ...readError(text), node_id: nodeId })),
    meaning: error === null ? null : { code: error.code, ...findMeaning(error.code, httpStatus) },
    last_success: found?.success ? toShownSuccess(found.success) : null,
    runs_searched: found?.searched ?? 0,
    changes,
    workflowName: workflow.name,
    cancelReason: run.cancelReason,
    queue: parts.settings.queue,
    nodeType: node?.type ?? null,
    isAdmin: caller.role === "admin",
  };
  const { workflowName, cancelReason, queue, nodeType, isAdmin, ...diagnosis } = findings;
  return { ...diagnosis, ...describeDiagnosis(findings) };
}

/** The body of a run; empty if it is not kept any more. */
async function findBody(db: Db, bodyId: string): Promise<Json> {
  try {
    return await loadBody(db, bodyId);
  } catch (thrown) {
    if (thrown instanceof HubError && thrown.code === "conflict") return {};
    throw thrown;
  }
}

/** The step that failed the run, or that it waits for; the item of `for_each` if one did. */
async function findStepOf(db: Db, run: WorkflowRunRecord): Promise<StepRecord | null> {
  const nodeId = findNodeId(run);
  if (nodeId === null) return null;
  const item = run.state === "failed" ? await findFailedItem(db, run.id, nodeId) : null;
  return await findStep(db, run.id, nodeId, item ?? -1);
}

function findNodeId({ error, waitingFor }: WorkflowRunRecord): string | null {
  const failed: unknown = error === null ? null : Object(parseJson(error)).node_id;
  if (typeof failed === "string") return failed;
  const waiting = waitingFor === null ? {} : Object(parseJson(waitingFor));
  const [first]: unknown[] = Array.isArray(waiting.node_ids) ? waiting.node_ids : [];
  const id: unknown = waiting.node_id ?? first;
  return typeof id === "string" ? id : null;
}

function readError(text: string | null): { message: string; code: string } {
  const { message, code } = Object(text === null ? null : parseJson(text));
  return { message: String(message ?? "The step failed."), code: String(code ?? "internal") };
}

type Success = { run: WorkflowRunRecord; step: StepRecord };

async function findSuccess(db: Db, run: WorkflowRunRecord, nodeId: string) {
  const { runId, searched } = await findLastSuccess(db, {
    workflowId: run.workflowId,
    nodeId,
    runId: run.id,
  });
  const found = runId === null ? null : await findWorkflowRun(db, runId);
  const step = found && (await findStep(db, found.id, nodeId));
  const success: Success | null = found && step ? { run: found, step } : null;
  return { success, searched };
}

type Compared = {
  run: WorkflowRunRecord;
  body: Json;
  step: StepRecord;
  graph: Graph;
  ancestors: ReadonlySet<string>;
};

async function compareWith(
  db: Db,
  { run, body, step, graph, ancestors }: Compared,
  { run: before, step: stepBefore }: Success,
) {
  const isSameBody = before.bodyId === run.bodyId;
  const bodyBefore = isSameBody ? body : await findBody(db, before.bodyId);
  // A node that was before it then, and is not any more, matters too.
  const graphBefore = isSameBody ? graph : buildGraph(await readParts(bodyBefore, createPace()));
  const ids = new Set([...ancestors, ...findAncestors(graphBefore, step.nodeId)]);
  const stepThen =
    step.item < 0 ? stepBefore : await findStep(db, before.id, step.nodeId, step.item);
  const [events, eventsBefore] = [
    await readRunEvent(db, run.id),
    await readRunEvent(db, before.id),
  ];
  const paths = await listEventPaths(graph, ids, createPace());
  return {
    body: isSameBody ? [] : await compareBodies(bodyBefore, body, ids),
    input: compareTexts(stepThen?.input ?? null, step.input),
    event:
      events === null || eventsBefore === null
        ? []
        : compareEvents(openShownEvent(eventsBefore), openShownEvent(events), paths),
  };
}

function toShownStep(step: StepRecord, httpStatus: number | null): WorkflowDiagnosis["step"] {
  return {
    node_id: step.nodeId,
    item: step.item < 0 ? null : step.item,
    state: step.state,
    tries: step.tries,
    started_at: toTimeText(step.startedAt),
    ended_at: step.endedAt === null ? null : toTimeText(step.endedAt),
    // Stored sealed, and cut to 64 KiB.
    input: step.input === null ? null : parseJson(step.input),
    error: step.error === null ? null : readError(step.error),
    warnings: step.warnings === null ? [] : JSON.parse(step.warnings),
    http_status: httpStatus,
    call_run_id: step.callRunId,
    child_run_id: step.childRunId,
  };
}

function toShownSuccess({ run, step }: Success): WorkflowDiagnosis["last_success"] {
  const { id, version } = run;
  return { run_id: id, version, at: toTimeText(step.endedAt ?? step.startedAt) };
}
