import type { Caller } from "../../caller.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findWorkflow } from "../../store/workflows/workflows-table.ts";
import { findAccess } from "../definition/workflow-access.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** The workflow of a run, if the caller sees it. */
export async function findWorkflowOfRun(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  runId: string,
): Promise<{ id: string; name: string } | null> {
  const run = await findWorkflowRun(store.db, runId);
  const workflow = run && (await findWorkflow(store.db, run.workflowId));
  if (workflow === null || findAccess(caller, workflow) === null) return null;
  return { id: workflow.id, name: workflow.name };
}
