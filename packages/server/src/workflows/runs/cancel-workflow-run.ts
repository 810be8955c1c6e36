import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { mayStart } from "../definition/workflow-access.ts";
import { loadPermittedRun } from "./load-permitted-run.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** Ends a run. Calls in flight are cancelled. For everyone who may start the workflow. */
export async function cancelWorkflowRun(
  deps: RunVerbDeps,
  caller: Caller,
  target: { workflow: string; run: string },
): Promise<{ id: string; cancelled: "now" | "soon" }> {
  const { workflow, run } = await loadPermittedRun(deps, caller, target, "see");
  if (!mayStart(caller, workflow)) {
    throw new HubError(
      "forbidden",
      "Only the owner of the workflow and admins may cancel its runs.",
    );
  }
  const { engine } = await deps.openWorkflows();
  const result = await engine.cancel(run.id, `The run was cancelled by ${caller.email}.`);
  if (result === "ended" || result === "absent") {
    throw new HubError("conflict", "The run has ended already.");
  }
  return { id: run.id, cancelled: result === "cancelled" ? "now" : "soon" };
}
