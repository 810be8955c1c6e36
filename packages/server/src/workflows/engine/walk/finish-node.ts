import { type Json, parseJson } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { AcceptWrite, StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { refuseOutputs } from "../step/step-failure.ts";
import { addWarnings, withPosition } from "../step/step-records.ts";
import { toEndTransition } from "./exit-run.ts";
import { isAllDone, type WalkContext } from "./walk-state.ts";

/** All outputs of one run together. */
const outputCharsMax = 32 * 1024 * 1024;

function checkOutputs({ deps, state }: WalkContext, chars: number): void {
  state.outputChars += chars;
  const fits = deps.addOutput(chars);
  if (state.ending !== null) return;
  if (state.outputChars > outputCharsMax) {
    throw new HubError(
      "run_failed",
      "The outputs of this run are larger than 32 MiB together. Return less, or divide the workflow.",
    );
  }
  if (fits) return;
  throw refuseOutputs();
}

/**
 * Stores the end of a node, and then lets the next ones start. What a node computed is stored with what
 * follows.
 */
export async function finishNode(
  walk: WalkContext,
  node: WorkflowNode,
  step: StepRecord,
  more: { answer?: string | null; starts?: AcceptWrite[]; output?: Json } = {},
): Promise<void> {
  const { deps, start, state } = walk;
  const { answer = null, starts = [] } = more;
  checkOutputs(walk, step.output?.length ?? 0);
  const output = step.output === null ? null : parseJson(step.output);
  start.data.Node[node.id] = "output" in more ? more.output : output;
  state.lastNode = node.id;
  state.progress.complete(node.id, { caseName: step.caseName });
  const stored = withPosition(walk, step);
  // The last step ends the run in its own commit.
  const isLast = starts.length === 0 && state.active === 1 && isAllDone(state);
  if (!isLast && isComputed(node) && starts.length === 0) return await deps.commits.defer(stored);
  const transition = isLast ? { transition: toEndTransition(walk, null) } : {};
  const { acceptances, next } = await deps.commits.commit({
    steps: [stored],
    answer,
    starts,
    ...transition,
  });
  if (isLast) state.over = { next };
  if (acceptances.some(({ kind }) => kind === "dropped")) {
    const warning = "The scheduled run was refused: the workflow has too many that wait.";
    await deps.commits.commit({ steps: [addWarnings(stored, [warning])] });
  }
}

/** Whether a node computes its output from what its run has stored, and nothing else happens. */
function isComputed({ type, disabled }: WorkflowNode): boolean {
  return disabled || type === "branch" || type === "switch" || type === "set";
}
