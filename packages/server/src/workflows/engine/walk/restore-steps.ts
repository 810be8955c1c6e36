import { parseJson } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { recordGate } from "../step/check-approved.ts";
import { readFailure, toRunFailure } from "../step/step-records.ts";
import { restoreWaiting } from "./await-calls.ts";
import { recordUnsure, recordWaiting, type WalkContext } from "./walk-state.ts";

/** Takes up what earlier processes have committed. */
export function restoreSteps(walk: WalkContext): void {
  const { start, state } = walk;
  for (const step of start.steps) {
    state.position = Math.max(state.position, step.position + 1);
    const node = start.plan.graph.nodes.get(step.nodeId);
    if (node === undefined) continue;
    if (step.item >= 0) restoreItem(walk, node, step);
    else restoreNode(walk, node, step);
  }
}

function restoreItem(walk: WalkContext, node: WorkflowNode, step: StepRecord): void {
  const { state } = walk;
  const items = state.items.get(step.nodeId) ?? new Map<number, StepRecord>();
  items.set(step.item, step);
  state.items.set(step.nodeId, items);
  // Only a step with effects is stored before it has ended.
  if (step.state === "running") {
    const waiting = restoreWaiting(walk, step);
    if (waiting === null) recordUnsure(state, step, "The hub stopped while this item ran.");
    else items.set(step.item, waiting);
  }
  if (step.state === "cancelled") endAsBefore(walk, node, step);
}

function restoreNode(walk: WalkContext, node: WorkflowNode, step: StepRecord): void {
  const { start, state } = walk;
  if (step.state === "running") {
    const waiting = restoreWaiting(walk, step);
    if (waiting === null) {
      recordUnsure(state, step, "The hub stopped while this step ran.");
      return;
    }
    state.started.add(node.id);
    recordWaiting(state, node, waiting);
    return;
  }
  state.started.add(node.id);
  if (step.state === "unknown") state.unknown.add(node.id);
  else if (step.state === "waiting") recordWaiting(state, node, step);
  else if (step.state === "cancelled" || isFatal(node, step)) endAsBefore(walk, node, step);
  else {
    state.outputChars += step.output?.length ?? 0;
    walk.deps.addOutput(step.output?.length ?? 0);
    start.data.Node[node.id] = step.output === null ? null : parseJson(step.output);
    state.lastNode = node.id;
    recordGate(walk, node, step.caseName);
    state.progress.complete(node.id, { caseName: step.caseName });
  }
}

/** Whether the failure of this step ends the run. One that does not has an output, which later nodes read. */
function isFatal(node: WorkflowNode, { state, output }: StepRecord): boolean {
  return state === "failed" && (node.on_error === "fail" || output === null);
}

/** The run was ending when its process died: it had failed, or its steps were cancelled. */
function endAsBefore(walk: WalkContext, node: WorkflowNode, step: StepRecord): void {
  const failure = readFailure(step);
  const isCancelled = step.state === "cancelled" && failure.code === "cancelled";
  const isOfNode = step.state === "failed";
  const ofRun = toRunFailure(walk, isOfNode ? node.id : null, failure);
  const severity = node.type === "fail" ? node.severity : undefined;
  walk.state.ending ??= {
    state: isCancelled ? "cancelled" : "failed",
    failure: { ...ofRun, ...(severity && { severity }) },
  };
}
