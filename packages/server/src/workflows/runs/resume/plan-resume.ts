import { isDeepStrictEqual } from "node:util";
import { nodeTemplateFields, type WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import type { Plan } from "../../engine/plan.ts";
import { readFailure, readFlags } from "../../engine/step/step-records.ts";

/** A run as a resume sees it. */
export type ResumeFrom = {
  /** The body of the run, and the one by which it is resumed. */
  before: Plan;
  after: Plan;
  /** Where the run began, and where its trigger leads to now. */
  entry: { before: string; after: string };
  steps: readonly StepMark[];
  /** How often steps were refused in earlier runs, by `node:item`. */
  generations: Readonly<Record<string, number>>;
};

export type ResumePlan = {
  /** Nodes that have ended and are taken over as they are. */
  taken: ReadonlySet<string>;
  /** Nodes with `for_each` of which only the items that succeeded are taken over. */
  part: ReadonlySet<string>;
  /** Nodes that have run, at least in part, and run again. */
  again: readonly string[];
  /** Steps that may have happened, by `node:item`. */
  unsure: ReadonlyMap<string, { step: StepMark; message: string }>;
  generations: Record<string, number>;
};

/** What a new run takes over of a run that has failed or was cancelled, and what it runs again. */
export function planResume({
  before,
  after,
  entry,
  steps,
  generations: earlier,
}: ResumeFrom): ResumePlan {
  const changed = before === after ? new Set<string>() : findChanged(before, after, entry);
  const taken = new Set<string>();
  const part = new Set<string>();
  for (const step of steps) {
    const node = after.graph.nodes.get(step.nodeId);
    if (node === undefined || changed.has(node.id)) continue;
    if (step.item < 0 && hasEnded(node, step)) taken.add(node.id);
    if (step.item >= 0 && step.state === "succeeded") part.add(node.id);
  }
  for (const id of taken) part.delete(id);
  const rest = steps.filter(({ nodeId }) => !taken.has(nodeId) && after.graph.nodes.has(nodeId));
  const open = rest.filter(({ nodeId, item, state }) => {
    return !(part.has(nodeId) && item >= 0 && state === "succeeded");
  });
  const unsure = new Map<string, { step: StepMark; message: string }>();
  const generations = { ...earlier };
  for (const step of open) {
    const node = before.graph.nodes.get(step.nodeId);
    const key = toKey(step);
    // What is switched off now does not run again, so it needs no decision.
    const isOff = after.graph.nodes.get(step.nodeId)?.disabled === true;
    const message = node === undefined || isOff ? null : findDoubt(node, step);
    if (message !== null) unsure.set(key, { step, message });
    else if (step.state === "failed") generations[key] = (earlier[key] ?? 0) + 1;
  }
  return {
    taken,
    part,
    again: [...new Set(open.map(({ nodeId }) => nodeId))].filter(
      (id) => after.graph.nodes.get(id)?.disabled !== true,
    ),
    unsure,
    generations,
  };
}

/** A step in the keys of a resume. */
export function toKey({ nodeId, item }: Pick<StepMark, "nodeId" | "item">): string {
  return `${nodeId}:${item}`;
}

/** Whether the run went on after the step. The failure of a node need not fail the run. */
function hasEnded(node: WorkflowNode, { state }: StepMark): boolean {
  if (state === "succeeded" || state === "skipped") return true;
  return state === "failed" && node.on_error !== "fail" && node.type !== "fail";
}

/** Why a step that did not succeed may have happened. Null if it has not. */
function findDoubt({ type }: WorkflowNode, step: StepMark): string | null {
  const { state, childRunId, error } = step;
  if (readFlags(step).includes("unsure")) return readFailure(step).message;
  if (state === "running") return "The run ended while this step ran.";
  if (state !== "cancelled") return null;
  if (childRunId !== null) return `The run ended while the step waited for the run ${childRunId}.`;
  const isCall = type === "operation" || type === "http" || type === "channel";
  // Only a step that may happen once is stored before it has ended.
  return isCall && error === null ? "The run ended while this step waited for a person." : null;
}

/**
 * The nodes of `after` whose outputs in the run would not be those of now: they have changed, or one
 * before them has.
 */
function findChanged(
  before: Plan,
  after: Plan,
  entry: { before: string; after: string },
): Set<string> {
  const isEnvSame = isDeepStrictEqual(before.body.settings.env, after.body.settings.env);
  const changed = new Set<string>();
  for (const [id, node] of after.graph.nodes) {
    const old = before.graph.nodes.get(id);
    const isSame =
      old !== undefined &&
      isDeepStrictEqual(toCompared(old), toCompared(node)) &&
      isDeepStrictEqual(listEdges(before, id), listEdges(after, id)) &&
      (isEnvSame || !readsEnv(node)) &&
      // What follows was approved for the other body.
      node.type !== "approval";
    if (!isSame) changed.add(id);
  }
  if (entry.before !== entry.after) changed.add(entry.after);
  // A list instead of recursion, since a chain may be long.
  const reached = [...changed];
  for (const id of reached) {
    for (const { to } of after.graph.outgoing.get(id) ?? []) {
      if (changed.has(to)) continue;
      changed.add(to);
      reached.push(to);
    }
  }
  return changed;
}

/** Names for people change nothing. */
function toCompared({ label: _, ...node }: WorkflowNode) {
  return node;
}

function listEdges({ graph }: Plan, id: string): string[] {
  const edges = (graph.incoming.get(id) ?? []).map((edge) => `${edge.from} ${edge.case ?? ""}`);
  // Their order decides what a node that is switched off passes on.
  return graph.nodes.get(id)?.disabled === true ? edges : edges.sort();
}

function readsEnv(node: WorkflowNode): boolean {
  if (node.type === "code") return true;
  const fields = nodeTemplateFields[node.type].map((field) => Reflect.get(node, field));
  return JSON.stringify(fields).includes(".Env");
}
