import type { Json } from "@hub/connector";
import type { WorkflowRunDetail, WorkflowStep } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { cutJson } from "../../lib/json/cut-json.ts";
import { cutSealedText } from "../../operations/masking/cut-sealed-text.ts";
import { countSteps } from "../../store/workflow-runs/workflow-steps.ts";
import type { RunVerbDeps } from "../runs/run-verb-deps.ts";
import { openRun } from "../runs/show-run.ts";

/** More would fill a model's context with what it rarely needs. */
const valueBytesMax = 2 * 1024;
const stepsMax = 200;

type ShownRun = WorkflowRunDetail & {
  /** How many steps there are, of the node or of the run. */
  steps_total: number | null;
};

/** A run in the size that a model can read. With a node, only its steps, and these in full unless `isCut`. */
export async function readRunForModel(
  deps: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
  nodeId: string | undefined,
  { isCut = nodeId === undefined }: { isCut?: boolean } = {},
): Promise<ShownRun> {
  const { head, steps: pages } = await openRun(deps, caller, target, nodeId);
  if (pages === null) return { ...head, steps: null, steps_total: null };
  const steps: WorkflowStep[] = [];
  for await (const page of pages) {
    steps.push(...(isCut ? page.map(cutStep) : page));
    if (steps.length >= stepsMax) break;
  }
  return {
    ...head,
    event: cut(head.event),
    steps: steps.slice(0, stepsMax),
    steps_total: await countSteps(deps.store.db, target.run, nodeId),
  };
}

function cutStep(step: WorkflowStep): WorkflowStep {
  return { ...step, input: cut(step.input), output: cut(step.output) };
}

function cut(value: unknown): Json {
  // The value was read from JSON.
  return cutJson(value as Json, valueBytesMax, cutSealedText);
}
