import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { pendingLimits } from "../../../operations/pending/pending-limits.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { checkApprovedItems } from "../step/check-approved.ts";
import { createRender } from "../step/create-render.ts";
import { runStep } from "../step/run-step.ts";
import { toStepFailure } from "../step/step-failure.ts";
import { endStep, newStep } from "../step/step-records.ts";
import { endItemCalls, findDecided, restoreWaiting } from "./await-calls.ts";
import { completeNode, completeUnknown, failNode } from "./complete-node.ts";
import { finishNode } from "./finish-node.ts";
import { passOn } from "./pass-on.ts";
import { runForEach } from "./run-for-each.ts";
import { runItem } from "./run-item.ts";
import { isStopping, recordWaiting, type WalkContext } from "./walk-state.ts";

/** So many items of a node wait for people before no further one starts. */
const itemCallsMax = pendingLimits.openOfOperation;

/** Runs a node that may start, and stores its end. */
export async function runNode(walk: WalkContext, node: WorkflowNode): Promise<void> {
  if (node.disabled) return await passOn(walk, node);
  const step = newStep(walk, node.id);
  if (!("for_each" in node) || node.for_each === undefined) {
    const waiting = restoreWaiting(walk, step);
    if (waiting !== null) return recordWaiting(walk.state, node, waiting);
    await completeNode(walk, node, await runStep(walk, node, step, null));
    return;
  }
  const { deps, start, state } = walk;
  state.atItems.add(node.id);
  try {
    const { for_each: source } = node;
    const listItems = () => createRender(deps, start.data, null).render(source);
    const list = await deps.computeSlices.run(start.run.ownerId, listItems);
    await checkApprovedItems(walk, node, list);
    const done = state.items.get(node.id) ?? new Map();
    const hasCapacity = () => (state.itemCalls.get(node.id)?.size ?? 0) < itemCallsMax;
    const stops = (known?: StepRecord) =>
      isStopping(state) || (known === undefined && !hasCapacity());
    const outputs = await runForEach({ node, list, done, stops }, (scope) =>
      runItem(walk, node, scope, done.get(scope.index)),
    );
    // Some items did not run, because the run ends or waits.
    if (outputs === null || state.itemCalls.has(node.id)) return;
    if (state.unknown.has(node.id)) return await completeUnknown(walk, node, step);
    const output = start.sealer.toOutputText(outputs);
    const input = JSON.stringify({ items: outputs.length });
    await finishNode(walk, node, endStep(walk, { ...step, input, output }, "succeeded"));
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await endItemCalls(walk, node);
    await failNode(walk, node, step, toStepFailure(thrown));
  } finally {
    state.atItems.delete(node.id);
    state.scriptInputs.delete(node.id);
  }
}

/** Goes on with a node that has waited for a decision about its call. */
export async function resumeNode(
  walk: WalkContext,
  node: WorkflowNode,
  waiting: StepRecord,
): Promise<void> {
  const step: StepRecord = { ...waiting, state: "running", wakeAt: null };
  try {
    const asked = await findDecided(walk, waiting);
    await completeNode(walk, node, await runStep(walk, node, step, null, asked));
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await failNode(walk, node, step, toStepFailure(thrown));
  }
}

export async function resumeItems(walk: WalkContext, id: string): Promise<void> {
  const { deps, start, state } = walk;
  const node = start.plan.graph.nodes.get(id);
  if (node === undefined) return;
  state.atItems.add(id);
  state.items.set(id, await deps.reads.readItems(id));
  await runNode(walk, node);
}
