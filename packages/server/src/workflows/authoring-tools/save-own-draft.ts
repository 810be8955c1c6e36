import { HubError } from "../../errors.ts";
import { createWorkflow } from "../definition/create-workflow.ts";
import { saveDraft, validateWorkflow } from "../definition/save-draft.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import type { OperationDeps } from "./define-operation.ts";
import { describeSaved, type SavedAnswer } from "./describe/describe-saved.ts";
import { checkNotFromWorkflow, isByPerson, toAuthor } from "./model-rights.ts";
import { readObjectParam } from "./read-object-param.ts";
import { sealOpened } from "./seal-opened.ts";
import type { WorkflowCall } from "./workflow-call.ts";

type NewDraft = { name: string; description: string | undefined; body: unknown };

/** Creates a workflow of the caller, with what would stop its publication. */
export async function createDraft(
  deps: OperationDeps,
  call: WorkflowCall,
  { name, description, body }: NewDraft,
): Promise<SavedAnswer> {
  checkNotFromWorkflow(call);
  const author = toAuthor(deps, call);
  const detail = await createWorkflow(deps, author, {
    name,
    ...(description !== undefined && { description }),
    ...(body !== undefined && { body: sealOpened(deps, call, readObjectParam("body", body)) }),
  });
  const { problems } = await validateWorkflow(deps, call.caller, detail.id, {}, call.signal);
  return await describeSaved(deps, call.caller, {
    detail,
    problems,
    mayPublish: mayPublish(deps, call),
  });
}

type ChangedDraft = { workflowId: string; revision: number; body: unknown };

/** Replaces the draft of a workflow that the caller owns. */
export async function replaceDraft(
  deps: OperationDeps,
  call: WorkflowCall,
  { workflowId, revision, body }: ChangedDraft,
): Promise<SavedAnswer> {
  checkNotFromWorkflow(call);
  await checkOwnsDraft(deps, call, workflowId);
  const draft = { revision, body: sealOpened(deps, call, readObjectParam("body", body)) };
  const detail = await saveDraft(deps, toAuthor(deps, call), workflowId, draft, call.signal);
  const { problems } = await validateWorkflow(deps, call.caller, workflowId, {}, call.signal);
  return await describeSaved(deps, call.caller, {
    detail,
    problems,
    mayPublish: mayPublish(deps, call),
  });
}

export function mayPublish({ config }: Pick<OperationDeps, "config">, call: WorkflowCall): boolean {
  return config.workflowMcp === "publish" || isByPerson(call);
}

/** A draft was read by its author alone, so a model works on the drafts of its own user, admins included. */
export async function checkOwnsDraft(
  { store }: Pick<OperationDeps, "store">,
  { caller }: WorkflowCall,
  workflowId: string,
): Promise<void> {
  const { ownerId } = await loadWorkflow(store.db, caller, workflowId, "manage");
  if (ownerId === caller.userId) return;
  throw new HubError(
    "forbidden",
    "Only the owner of a workflow can change and run its draft by tools.",
  );
}
