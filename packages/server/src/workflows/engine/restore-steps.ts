import { parseJson } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { StepRecord } from "../../store/workflow-run-records.ts";
import { readFailure, toRunFailure } from "./step-records.ts";
import { noteUnsure, noteWaiting, type WalkContext } from "./walk-state.ts";

/** Takes up what earlier processes have committed. */
export function restoreSteps(walk: WalkContext): void {
  const { start, state } = walk;
  for (const step of start.steps) {
    state.position = Math.max(state.position, step.position + 1);
    const node = start.plan.graph.nodes.get(step.nodeId);
    if (node === undefined) continue;
    if (step.item >= 0) restoreItem(walk, step);
    else restoreNode(walk, node, step);
  }
}

function restoreItem({ state }: WalkContext, step: StepRecord): void {
  const items = state.items.get(step.nodeId) ?? new Map<number, StepRecord>();
  items.set(step.item, step);
  state.items.set(step.nodeId, items);
  // Only a step with effects is stored before it has ended.
  if (step.state === "running") noteUnsure(state, step, "The hub stopped while this item ran.");
}

function restoreNode(walk: WalkContext, node: WorkflowNode, step: StepRecord): void {
  const { start, state } = walk;
  if (step.state === "running") {
    noteUnsure(state, step, "The hub stopped while this step ran.");
    return;
  }
  state.settled.add(node.id);
  if (step.state === "waiting") noteWaiting(state, node, step);
  else if (step.state === "failed" && node.on_error === "fail") {
    state.ending ??= { state: "failed", failure: toRunFailure(walk, node.id, readFailure(step)) };
  } else {
    start.data.Node[node.id] = step.output === null ? null : parseJson(step.output);
    state.lastNode = node.id;
    state.progress.complete(node.id, { caseName: step.caseName });
  }
}
