import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { refuseChild, toChildOutput } from "../child-runs/child-run.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import type { ItemScope } from "../step/create-render.ts";
import type { StepOutcome } from "../step/open-step.ts";
import { runStep } from "../step/run-step.ts";
import { type StepFailure, toStepFailure } from "../step/step-failure.ts";
import {
  endStep,
  newStep,
  readFailure,
  toErrorOutput,
  withPosition,
} from "../step/step-records.ts";
import {
  findDecided,
  isUndecided,
  recordItemCall,
  restoreWaiting,
  toWaiting,
} from "./await-calls.ts";
import { completeUnknown, storeFailure } from "./complete-node.ts";
import { recordUnsure, type WalkContext } from "./walk-state.ts";

/** Runs one item of `for_each`, and returns its output. Throws the failure of the whole node. */
export async function runItem(
  walk: WalkContext,
  node: WorkflowNode,
  scope: ItemScope,
  known: StepRecord | undefined,
): Promise<Json> {
  const { state, start } = walk;
  // It failed before a restart, and the end of the node was not stored.
  if (known?.state === "failed") throw refuseItem(scope, readFailure(known));
  const waiting = findWaiting(walk, node, scope, known);
  if (waiting !== null && isUndecided(walk, waiting)) {
    recordItemCall(state, node, waiting);
    return null;
  }
  const step: StepRecord =
    waiting === null
      ? (known ?? newStep(walk, node.id, scope.index))
      : { ...waiting, state: "running", wakeAt: null };
  try {
    const asked = waiting && (await findDecided(walk, waiting));
    const output = await findOutput(walk, node, step, { scope, asked });
    if (output === unsure || output === undecided) return null;
    if (output === unknown) {
      await completeUnknown(walk, node, step);
      return null;
    }
    const text = start.sealer.toOutputText(output);
    const ended = withPosition(walk, endStep(walk, { ...step, output: text }, "succeeded"));
    await walk.deps.commits.commit({ steps: [ended] });
    return output;
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    const failure = toStepFailure(thrown);
    const output = start.sealer.seal(toErrorOutput(failure));
    const failed = endStep(walk, step, walk.early.aborted ? "cancelled" : "failed");
    await storeFailure(walk, { ...failed, output: start.sealer.toOutputText(output) }, failure);
    if (node.on_error === "continue" && state.ending === null) return output;
    throw refuseItem(scope, failure);
  }
}

/** The step of an item that waits for a decision about its call. */
function findWaiting(
  walk: WalkContext,
  node: WorkflowNode,
  { index }: ItemScope,
  known: StepRecord | undefined,
): StepRecord | null {
  if (known === undefined) return restoreWaiting(walk, newStep(walk, node.id, index));
  return known.state === "waiting" && known.childRunId === null ? known : null;
}

function refuseItem({ index }: ItemScope, { message }: Pick<StepFailure, "message">): HubError {
  return new HubError("run_failed", `Item ${index} failed: ${message}`);
}

/** The run waits for a person, so the item has no output. */
const unsure = Symbol("unsure");
/** People are asked about the call of the item, so it has no output yet. */
const undecided = Symbol("undecided");
/** In a dry run, the output of the item is unknown. */
const unknown = Symbol("unknown");

async function findOutput(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  { scope, asked }: { scope: ItemScope; asked: AskedCall | null },
): Promise<Json | typeof unsure | typeof unknown | typeof undecided> {
  // The other run was started before a restart.
  if (step.childRunId !== null) return await awaitChild(walk, step.childRunId);
  const end = await runStep(walk, node, step, scope, asked);
  if (end.kind === "outcome" && end.outcome.kind === "await_call") {
    const waiting = withPosition(walk, toWaiting(step, end.outcome));
    await walk.deps.commits.commit({ steps: [waiting] });
    recordItemCall(walk.state, node, waiting);
    return undecided;
  }
  if (end.kind === "outcome" && end.outcome.kind === "unknown") return unknown;
  if (end.kind === "outcome") return await toOutput(walk, step, end.outcome);
  if (end.kind === "unsure") {
    recordUnsure(walk.state, step, walk.start.sealer.sealMessage(end.failure.message));
    return unsure;
  }
  throw end.failure.cause;
}

async function toOutput(walk: WalkContext, step: StepRecord, outcome: StepOutcome): Promise<Json> {
  const { sealer } = walk.start;
  if (outcome.kind === "done") return (await sealer.sealOutput(outcome.output)).output;
  if (outcome.kind !== "start_run") throw new Error(`An item cannot end with ${outcome.kind}`);
  const child = await walk.deps.runs.prepareChild(outcome);
  step.childRunId = child.run.id;
  const waiting = withPosition(walk, { ...step, state: "waiting" });
  const { acceptances } = await walk.deps.commits.commit({ steps: [waiting], starts: [child] });
  const [acceptance] = acceptances;
  if (acceptance?.kind === "dropped") {
    step.childRunId = acceptance.runId;
    throw refuseChild(outcome.workflowId);
  }
  return outcome.waits ? await awaitChild(walk, child.run.id) : child.run.id;
}

async function awaitChild({ deps, early }: WalkContext, runId: string): Promise<Json> {
  await deps.runs.waitForRun(runId, early);
  const end = await deps.runs.findChildEnd(runId);
  if (end === null) throw new HubError("cancelled", "The run ended before the other one did.");
  return toChildOutput(end);
}
