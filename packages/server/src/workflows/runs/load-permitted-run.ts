import type { WorkflowAccess } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { areBoundsWithin } from "../../lib/call-bounds.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import { findWorkflowRun, readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import { readRunContext } from "../engine/accept/run-context.ts";
import type { RunVerbDeps } from "./run-verb-deps.ts";

/** A run of a workflow, for callers with this right on the workflow. For bound callers, only runs within their bounds exist. */
export async function loadPermittedRun(
  { store }: Pick<RunVerbDeps, "store">,
  caller: Caller,
  { workflow: id, run: runId }: { workflow: string; run: string },
  right: WorkflowAccess,
): Promise<{ workflow: WorkflowRecord; run: WorkflowRunRecord }> {
  const workflow = await loadWorkflow(store.db, caller, id, right);
  const run = await findWorkflowRun(store.db, runId);
  const isFound = run !== null && run.workflowId === id;
  if (isFound && (await isWithinCaller(store, caller, runId))) return { workflow, run };
  throw new HubError("not_found", "There is no such run of this workflow.");
}

async function isWithinCaller(
  { db }: RunVerbDeps["store"],
  { bounds }: Caller,
  runId: string,
): Promise<boolean> {
  if (bounds === undefined) return true;
  const context = (await readRunEvent(db, runId))?.context ?? null;
  return areBoundsWithin(readRunContext(context).bounds, bounds);
}
