import type {
  WorkflowDecision,
  WorkflowResume,
  WorkflowResumeBody,
  WorkflowResumed,
} from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../../caller.ts";
import type { StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import { checkDecisions, type Decisions, listUndecided, toSteps } from "./check-decisions.ts";
import { findResumable, type Resumable, type ResumeDeps, refuseLate } from "./find-resumable.ts";
import { startResumedRun } from "./start-resumed-run.ts";

export type ResumeInput = {
  body?: WorkflowResumeBody | undefined;
  decisions?: readonly WorkflowDecision[] | undefined;
};

type Target = { workflow: string; run: string };

/** What a resume would do, and which decisions it needs. */
export async function previewResume(
  deps: ResumeDeps,
  caller: Caller,
  target: Target,
  input: Pick<ResumeInput, "body"> = {},
): Promise<WorkflowResume> {
  const found = await findResumable(deps, caller, target, input);
  return { ...describe(found), undecided: listUndecided(found.unsure, new Map()) };
}

/**
 * Lets a run go on that waits for a person, or starts a new run that goes on where a failed or cancelled
 * one ended. Steps that may have happened need a decision.
 */
export async function resumeRun(
  deps: ResumeDeps,
  caller: Caller,
  target: Target,
  input: ResumeInput = {},
): Promise<WorkflowResumed> {
  const found = await findResumable(deps, caller, target, input);
  const decided = checkDecisions(deps, caller, found, input.decisions ?? []);
  if (found.plan === null) return await goOn(deps, caller, found, decided);
  const { runId, again } = await startResumedRun(deps, caller, found, decided);
  const outcome = { run_id: runId, state: "queued" as const, output: null, error: null };
  return { ...outcome, ...describe(found), runs_again: again };
}

/** A run that waits for a person goes on itself. */
async function goOn(
  deps: ResumeDeps,
  caller: Caller,
  found: Resumable,
  decided: Decisions,
): Promise<WorkflowResumed> {
  const { workflows, workflow, run } = found;
  const { ended, again } = await toSteps(deps, caller, found, decided);
  const isDone = await workflows.engine.decide({ run, workflow, steps: ended, again });
  if (!isDone) throw refuseLate();
  const repeated = [...new Set(again.map(({ nodeId }) => nodeId))];
  const state = { run_id: run.id, state: "waiting" as const, output: null, error: null };
  return { ...state, ...describe(found), runs_again: repeated };
}

function describe({ plan, steps, unsure }: Resumable): Omit<WorkflowResume, "undecided"> {
  if (plan !== null) {
    return { is_same_run: false, taken_over: [...plan.taken], runs_again: [...plan.again] };
  }
  const isEnded = ({ item, state }: StepMark) => item < 0 && state !== "running";
  return {
    is_same_run: true,
    taken_over: steps.filter(isEnded).map(({ nodeId }) => nodeId),
    runs_again: [...new Set([...unsure.values()].map(({ step }) => step.nodeId))],
  };
}
