import { disableWorkflow, enableWorkflow } from "../definition/change-workflow.ts";
import { publishWorkflow } from "../definition/publish-workflow.ts";
import type { OperationDeps } from "./define-operation.ts";
import { describeSaved, type SavedAnswer } from "./describe/describe-saved.ts";
import { checkMayRelease, checkNotFromWorkflow, toAuthor } from "./model-rights.ts";
import type { WorkflowCall } from "./workflow-call.ts";

/** Publishes the draft, on hubs that leave it to models (`HUB_WORKFLOW_MCP=publish`). */
export async function publishDraft(
  deps: OperationDeps,
  call: WorkflowCall,
  { id, revision, note }: { id: string; revision: number; note: string | undefined },
): Promise<SavedAnswer & { opened: object[] }> {
  await checkMayRelease(deps, call, id, { done: "published", button: "Publish" });
  const input = { revision, ...(note !== undefined && { note }) };
  const published = await publishWorkflow(deps, toAuthor(deps, call), id, input, call.signal);
  const { problems, opened, ...detail } = published;
  const saved = await describeSaved(deps, call.caller, { detail, problems, mayPublish: true });
  return { ...saved, opened };
}

/** Enabling lets triggers fire without a person; disabling stops them. */
export async function setEnabled(
  deps: OperationDeps,
  call: WorkflowCall,
  id: string,
  enabled: boolean,
): Promise<{ workflow_id: string; enabled: boolean }> {
  if (enabled) await checkMayRelease(deps, call, id, { done: "enabled", button: "Enable" });
  else checkNotFromWorkflow(call);
  const change = enabled ? enableWorkflow : disableWorkflow;
  const changed = await change(deps, toAuthor(deps, call), id);
  return { workflow_id: changed.id, enabled: changed.enabled };
}
