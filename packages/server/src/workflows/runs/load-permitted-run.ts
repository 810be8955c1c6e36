import type { WorkflowAccess } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** A run of a workflow, for callers with this right on the workflow. */
export async function loadPermittedRun(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  { workflow: id, run: runId }: { workflow: string; run: string },
  right: WorkflowAccess,
): Promise<{ workflow: WorkflowRecord; run: WorkflowRunRecord }> {
  const workflow = await loadWorkflow(store.db, caller, id, right);
  const run = await findWorkflowRun(store.db, runId);
  if (run !== null && run.workflowId === id) return { workflow, run };
  throw new HubError("not_found", "There is no such run of this workflow.");
}
