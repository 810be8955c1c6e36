import { parseJson } from "@hub/connector";
import type { WorkflowOutcome } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../caller.ts";
import { findStep } from "../../store/workflow-runs/workflow-steps.ts";
import { findAccess } from "../definition/workflow-access.ts";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** What a run has come to, with the last output of a run that succeeded. */
export async function showOutcome(
  deps: Pick<RunVerbDeps, "store">,
  caller: Caller,
  target: { workflow: string; run: string },
): Promise<WorkflowOutcome> {
  const { workflow, run } = await loadPermittedRun(deps, caller, target, "see");
  const { db } = deps.store;
  const { id, state, lastNode } = run;
  const step = state === "succeeded" && lastNode ? await findStep(db, id, lastNode) : null;
  const output = step?.output ? parseJson(step.output) : null;
  const error: string | null = run.error === null ? null : JSON.parse(run.error).message;
  const isReader = findAccess(caller, workflow) === "manage";
  return {
    run_id: id,
    state,
    output: caller.userId === run.ownerId ? output : hideTokens(output),
    // How it ended is for all who may start it; why, for those who may read the workflow.
    error: error === null || isReader ? error : "The run failed. Its owner sees why.",
  };
}
