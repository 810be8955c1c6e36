import {
  type WorkflowDetail,
  type WorkflowOpened,
  workflowRunBySchema,
} from "@hub/contract/workflow.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { type Change, recordChange, stampChange } from "../../changes/record-change.ts";
import {
  checkInput,
  descriptionSchema,
  lineSchema,
  tagsSchema,
  toBadRequest,
} from "../../lib/input/check-input.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import { hasSameTags, toChangedTags } from "../../store/tags/tag-change.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import {
  deleteWorkflow as deleteStoredWorkflow,
  setWorkflowTags,
  updateWorkflow,
} from "../../store/workflows/workflow-changes.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { syncToolRow } from "../as-tools/sync-tool-row.ts";
import { loadBody } from "./body-text.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { presentDetail } from "./present-workflow.ts";
import { listOpened } from "./walk-body.ts";
import { type Author, loadWorkflow } from "./workflow-access.ts";

type ChangeDeps = Pick<DefinitionDeps, "store" | "now" | "registry">;

const changeSchema = z.strictObject({
  name: lineSchema(100).optional(),
  description: descriptionSchema.optional(),
  runBy: workflowRunBySchema.optional(),
});

export type WorkflowChangeInput = z.input<typeof changeSchema>;

/** Changes the given members of a workflow. */
export async function changeWorkflow(
  deps: ChangeDeps,
  author: Author,
  id: string,
  input: WorkflowChangeInput,
): Promise<WorkflowDetail> {
  const { name, description, runBy } = checkInput(changeSchema, input);
  const change = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(runBy !== undefined && { runBy }),
  };
  return await changeRecorded(deps, author, id, async (trx, workflow, at) => {
    if (Object.keys(change).length > 0) await updateWorkflow(trx, id, change, at);
    const detail = {
      ...(name !== undefined &&
        name !== workflow.name && { name: { from: workflow.name, to: name } }),
      ...(description !== undefined &&
        description !== workflow.description && { description: true }),
      ...(runBy !== undefined &&
        runBy !== workflow.runBy && { run_by: { from: workflow.runBy, to: runBy } }),
    };
    return { action: "workflow.update", detail };
  });
}

export function enableWorkflow(deps: ChangeDeps, author: Author, id: string) {
  return setEnabled(deps, author, id, true);
}

/** Its triggers fire no more. It can still be started by hand. */
export function disableWorkflow(deps: ChangeDeps, author: Author, id: string) {
  return setEnabled(deps, author, id, false);
}

function setEnabled(
  deps: ChangeDeps,
  author: Author,
  id: string,
  enabled: boolean,
): Promise<WorkflowDetail> {
  return changeRecorded(deps, author, id, async (trx, _workflow, at) => {
    await updateWorkflow(trx, id, { enabled }, at);
    return { action: enabled ? "workflow.enable" : "workflow.disable" };
  });
}

/** Deletes a workflow with its versions and secrets. Its recorded runs stay, and its id stays taken. */
export async function deleteWorkflow(
  { store, now, registry }: ChangeDeps,
  { caller, actor }: Author,
  id: string,
): Promise<{ id: string; name: string }> {
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const { name } = await loadWorkflow(trx, caller, id, "manage");
    await deleteStoredWorkflow(trx, id, at);
    const detail = await syncToolRow(trx, { registry }, id, at);
    await recordChange(trx, stamp, {
      action: "workflow.delete",
      kind: "workflow",
      id,
      name,
      detail,
    });
    return { id, name };
  });
}

const tagChangeSchema = z.strictObject({
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  addTags: tagsSchema.default([]),
  removeTags: tagsSchema.default([]),
});

export type WorkflowTagsInput = z.input<typeof tagChangeSchema>;

/** Changes who sees the workflow and, with `run_by: tags`, who may start it. */
export async function setTags(
  deps: ChangeDeps,
  author: Author,
  id: string,
  input: WorkflowTagsInput,
): Promise<WorkflowDetail> {
  const change = checkInput(tagChangeSchema, input);
  return await changeRecorded(deps, author, id, async (trx, workflow, at) => {
    const tags = toChangedTags(workflow.tags, change);
    checkOwnTags(author.caller, workflow, tags);
    if (hasSameTags(tags, workflow.tags)) return { action: "workflow.update", detail: {} };
    await setWorkflowTags(trx, id, tags, at);
    return { action: "workflow.update", detail: { tags: { from: workflow.tags, to: tags } } };
  });
}

/** Users give only tags that they have: others are none of their business, and new ones are made by admins. */
function checkOwnTags(
  { role, tags: own }: Caller,
  { tags: present }: WorkflowRecord,
  tags: readonly string[],
): void {
  if (role === "admin") return;
  const strange = tags.filter(
    (tag) => tag !== EVERYONE_TAG && !own.has(tag) && !present.includes(tag),
  );
  if (strange.length === 0) return;
  const message = `can be tags that you have. You do not have: ${strange.join(", ")}.`;
  throw toBadRequest([{ path: "tags", message }]);
}

/** What users who share a tag with the workflow can make its owner call, now and once the draft is published. */
export async function listWorkflowOpened(
  { store }: Pick<DefinitionDeps, "store">,
  caller: Caller,
  id: string,
): Promise<{ published: WorkflowOpened[]; draft: WorkflowOpened[] }> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const { draftBodyId, publishedBodyId } = workflow;
  const read = async (db: Db, bodyId: string) => listOpened(await loadBody(db, bodyId));
  return {
    published: publishedBodyId === null ? [] : await read(store.db, publishedBodyId),
    draft: await read(store.db, draftBodyId),
  };
}

type Recorded = Pick<Change, "action" | "detail">;

/** Changes a workflow that the caller manages, and records the change that `change` returns. */
async function changeRecorded(
  { store, now, registry }: ChangeDeps,
  { caller, actor }: Author,
  id: string,
  change: (trx: Transaction, workflow: WorkflowRecord, at: number) => Promise<Recorded>,
): Promise<WorkflowDetail> {
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    const recorded = await change(trx, workflow, at);
    const detail = { ...recorded.detail, ...(await syncToolRow(trx, { registry }, id, at)) };
    await recordChange(trx, stamp, {
      ...recorded,
      detail,
      kind: "workflow",
      id,
      name: workflow.name,
    });
    return await presentDetail(trx, caller, await loadWorkflow(trx, caller, id, "manage"));
  });
}
