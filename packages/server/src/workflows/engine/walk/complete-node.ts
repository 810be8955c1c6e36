import type { Json } from "@hub/connector";
import { errorCase } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import {
  type ChildEnd,
  type ChildRequest,
  refuseChild,
  toChildOutput,
} from "../child-runs/child-run.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { isScheduleShown, unshownSchedule } from "../step/check-approved.ts";
import type { StepOutcome } from "../step/open-step.ts";
import type { StepEnd } from "../step/step-end.ts";
import { type StepFailure, toStepFailure } from "../step/step-failure.ts";
import {
  addWarnings,
  endStep,
  toErrorOutput,
  toErrorText,
  toRunFailure,
  withPosition,
} from "../step/step-records.ts";
import { toWaiting } from "./await-calls.ts";
import { finishNode } from "./finish-node.ts";
import { recordUnsure, recordWaiting, type WalkContext, type WalkDeps } from "./walk-state.ts";

/** Stores how a node ended, and lets the next ones start. */
export async function completeNode(
  walk: WalkContext,
  node: WorkflowNode,
  end: StepEnd,
): Promise<void> {
  const { step } = end;
  if (end.kind === "unsure") {
    recordUnsure(walk.state, step, walk.start.sealer.sealMessage(end.failure.message));
    return;
  }
  try {
    if (end.kind === "failed") await failNode(walk, node, step, end.failure);
    else await completeOutcome(walk, node, step, end.outcome);
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await failNode(walk, node, step, toStepFailure(thrown));
  }
}

async function completeOutcome(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  outcome: StepOutcome,
): Promise<void> {
  const { sealer } = walk.start;
  switch (outcome.kind) {
    case "done": {
      const { isAnswer = false, caseName = null } = outcome;
      const sealed = await sealer.sealOutput(outcome.output);
      await storeOutput(walk, node, { ...step, caseName }, { ...sealed, isAnswer });
      return;
    }
    case "sleep": {
      const output = sealer.toOutputText(sealer.seal(outcome.output));
      const waiting = { ...step, state: "waiting" as const, wakeAt: outcome.until, output };
      await walk.deps.commits.commit({ steps: [waiting] });
      recordWaiting(walk.state, node, waiting);
      return;
    }
    case "ask": {
      const { approval } = outcome;
      const waiting = { ...step, state: "waiting" as const, wakeAt: approval.expiresAt };
      await walk.deps.commits.commit({ steps: [waiting], approvals: [approval] });
      recordWaiting(walk.state, node, waiting);
      return;
    }
    case "await_call": {
      const waiting = toWaiting(step, outcome);
      await walk.deps.commits.commit({ steps: [waiting] });
      recordWaiting(walk.state, node, waiting);
      return;
    }
    case "unknown":
      await completeUnknown(walk, node, step);
      return;
    case "start_run":
      await startChild(walk, node, step, outcome);
      return;
    case "fail_run":
      await failRun(walk, node, step, outcome);
  }
}

/** Ends a step of a dry run whose output is unknown. What follows from it does not run. */
export async function completeUnknown(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
): Promise<void> {
  walk.state.unknown.add(node.id);
  await walk.deps.commits.commit({ steps: [withPosition(walk, endStep(walk, step, "unknown"))] });
}

async function storeOutput(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  { output, text, isAnswer }: { output: Json; text: string; isAnswer: boolean },
): Promise<void> {
  const scheduled = await findScheduled(walk, node, output);
  const starts = scheduled !== null && "run" in scheduled ? [scheduled.run] : [];
  const warnings = scheduled !== null && "warning" in scheduled ? [scheduled.warning] : [];
  const ended = endStep(walk, { ...step, output: text }, "succeeded");
  await finishNode(walk, node, addWarnings(ended, warnings), {
    answer: isAnswer ? text : null,
    starts,
    output,
  });
}

async function findScheduled(
  walk: WalkContext,
  node: WorkflowNode,
  output: Json,
): Promise<ReturnType<WalkDeps["runs"]["findScheduled"]>> {
  const found = walk.deps.runs.findScheduled(output);
  if (found === null || "warning" in found) return found;
  return (await isScheduleShown(walk, node)) ? found : { warning: unshownSchedule };
}

async function startChild(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  request: ChildRequest,
): Promise<void> {
  const child = await walk.deps.runs.prepareChild(request);
  const childRunId = child.run.id;
  const { timeout_s: timeoutS } = node;
  const wakeAt = timeoutS === undefined ? null : walk.deps.now() + timeoutS * 1000;
  const waiting = withPosition(walk, { ...step, state: "waiting", childRunId, wakeAt });
  const { acceptances } = await walk.deps.commits.commit({ steps: [waiting], starts: [child] });
  if (acceptances[0]?.kind === "dropped") throw refuseChild(request.workflowId);
  if (request.waits) return recordWaiting(walk.state, node, waiting);
  const output = JSON.stringify(childRunId);
  await finishNode(walk, node, endStep(walk, { ...waiting, output }, "succeeded"));
}

/** Ends a node whose other run has ended, or for `null` did not end in time. */
export async function completeChild(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  end: ChildEnd | null,
): Promise<void> {
  try {
    if (end === null) {
      const seconds = node.timeout_s;
      throw new HubError(
        "timeout",
        `The other run did not end within the ${seconds} s of the node.`,
      );
    }
    const output = walk.start.sealer.toOutputText(toChildOutput(end));
    await finishNode(walk, node, endStep(walk, { ...step, output }, "succeeded"));
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await failNode(walk, node, step, toStepFailure(thrown));
  }
}

async function failRun(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  { message, severity }: Extract<StepOutcome, { kind: "fail_run" }>,
): Promise<void> {
  const failure = toStepFailure(new HubError("run_failed", message));
  await storeFailure(walk, endStep(walk, step, "failed"), failure);
  const ofRun = toRunFailure(walk, node.id, failure);
  walk.state.ending ??= { state: "failed", failure: { ...ofRun, ...(severity && { severity }) } };
}

/** Stores the failure of a node. What follows is up to its `on_error`. */
export async function failNode(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  failure: StepFailure,
): Promise<void> {
  if (walk.early.aborted) {
    await storeFailure(walk, endStep(walk, step, "cancelled"), failure);
    return;
  }
  const failed = endStep(walk, step, "failed");
  if (node.on_error === "fail") {
    await storeFailure(walk, failed, failure);
    walk.state.ending ??= { state: "failed", failure: toRunFailure(walk, node.id, failure) };
    return;
  }
  const { sealer } = walk.start;
  const output = sealer.toOutputText(sealer.seal(toErrorOutput(failure)));
  const caseName = node.on_error === "route" ? errorCase : null;
  const error = toErrorText(walk, failure);
  await finishNode(walk, node, { ...failed, output, caseName, error });
}

export async function storeFailure(
  walk: WalkContext,
  step: StepRecord,
  failure: StepFailure,
): Promise<void> {
  const stored = withPosition(walk, { ...step, error: toErrorText(walk, failure) });
  await walk.deps.commits.commit({ steps: [stored] });
}
