import type { Json } from "@hub/connector";
import type { WorkflowRunDetail, WorkflowStep } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { cutJson } from "../../lib/cut-json.ts";
import { cutSealedText } from "../../operations/cut-sealed-text.ts";
import type { RunVerbDeps } from "../runs/run-deps.ts";
import { showRun } from "../runs/show-runs.ts";

/** More would fill a model's context with what it rarely needs. */
const valueBytesMax = 2 * 1024;
const stepsMax = 200;

type ShownRun = WorkflowRunDetail & {
  /** How many steps there are, of the node or of the run. */
  steps_total: number | null;
};

/** A run in the size that a model can read. With a node, only its steps, and these in full unless `isCut`. */
export async function readRun(
  deps: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
  nodeId: string | undefined,
  { isCut = nodeId === undefined }: { isCut?: boolean } = {},
): Promise<ShownRun> {
  const run = await showRun(deps, caller, target);
  if (run.steps === null) return { ...run, steps_total: null };
  const wanted = run.steps.filter((step) => nodeId === undefined || step.node_id === nodeId);
  const steps = wanted.slice(0, stepsMax);
  return {
    ...run,
    event: cut(run.event),
    steps: isCut ? steps.map(cutStep) : steps,
    steps_total: wanted.length,
  };
}

function cutStep(step: WorkflowStep): WorkflowStep {
  return { ...step, input: cut(step.input), output: cut(step.output) };
}

function cut(value: unknown): Json {
  // The value was read from JSON.
  return cutJson(value as Json, valueBytesMax, cutSealedText);
}
