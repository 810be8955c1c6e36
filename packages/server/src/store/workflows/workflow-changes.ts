import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { WorkflowRunBy } from "../database/tables/workflow-tables.ts";
import type { Tables } from "../database/tables.ts";
import { bumpRevision } from "../settings/revision.ts";
import { ensureTags } from "../tags/tags-table.ts";
import { removeWebhookRequests } from "./webhook-requests.ts";
import { insertBody, type NewBody, removeBodiesOf } from "./workflow-bodies.ts";
import { completeTicks, removeTriggers } from "./workflow-triggers.ts";
import { findWorkflow, type WorkflowRecord } from "./workflows-table.ts";

export type NewWorkflow = {
  id: string;
  name: string;
  description: string;
  ownerId: string;
  tags: readonly string[];
  runBy: WorkflowRunBy;
  /** The draft. */
  body: NewBody;
  savedBy: string;
  createdAt: number;
};

/** False if a workflow has the id, or a deleted one had it. */
export function insertWorkflow(db: Db, workflow: NewWorkflow): Promise<boolean> {
  return transaction(db, async (trx) => {
    const { id, name, description, ownerId, runBy, body, savedBy, createdAt } = workflow;
    const made = await toKysely(trx)
      .insertInto("workflows")
      .values({
        id,
        name,
        description,
        owner_id: ownerId,
        pending_owner_id: null,
        enabled: 1,
        run_by: runBy,
        version: 0,
        draft_body_id: body.id,
        draft_revision: 1,
        draft_saved_by: savedBy,
        draft_saved_at: createdAt,
        published_body_id: null,
        created_at: createdAt,
        updated_at: createdAt,
        deleted_at: null,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made === undefined) return false;
    await insertBody(trx, { ...body, workflowId: id, savedBy, createdAt });
    await linkTags(trx, id, workflow.tags, createdAt);
    return true;
  });
}

export type WorkflowChange = {
  name?: string;
  description?: string;
  enabled?: boolean;
  runBy?: WorkflowRunBy;
  ownerId?: string;
  pendingOwnerId?: string | null;
};

/** Null if the workflow does not exist. */
export function updateWorkflow(
  db: Db,
  id: string,
  change: WorkflowChange,
  at: number,
): Promise<WorkflowRecord | null> {
  return transaction(db, async (trx) => {
    const { name, description, enabled, runBy, ownerId, pendingOwnerId } = change;
    const isChanged = await setColumns(trx, id, {
      name,
      description,
      enabled: enabled === undefined ? undefined : toFlag(enabled),
      run_by: runBy,
      owner_id: ownerId,
      pending_owner_id: pendingOwnerId,
      updated_at: at,
    });
    if (!isChanged) return null;
    // Ticks of the time in which it was disabled are not caught up.
    if (enabled) await completeTicks(trx, { workflowId: id, at });
    await bumpRevision(trx);
    return await findWorkflow(trx, id);
  });
}

/** Replaces all tags of a workflow. False if it does not exist. */
export function setWorkflowTags(
  db: Db,
  id: string,
  names: readonly string[],
  at: number,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if (!(await setColumns(trx, id, { updated_at: at }))) return false;
    await toKysely(trx).deleteFrom("workflow_tags").where("workflow_id", "=", id).execute();
    await linkTags(trx, id, names, at);
    await bumpRevision(trx);
    return true;
  });
}

/** Deletes a workflow with its tags, secrets, pins, versions and drafts. Its runs and its id stay taken. */
export function deleteWorkflow(db: Db, id: string, at: number): Promise<boolean> {
  return transaction(db, async (trx) => {
    const isDeleted = await setColumns(trx, id, {
      enabled: 0,
      pending_owner_id: null,
      deleted_at: at,
      updated_at: at,
    });
    if (!isDeleted) return false;
    const tables = [
      "workflow_tags",
      "workflow_secrets",
      "workflow_pins",
      "workflow_versions",
    ] as const;
    for (const table of tables) {
      await toKysely(trx).deleteFrom(table).where("workflow_id", "=", id).execute();
    }
    await removeTriggers(trx, id);
    await removeWebhookRequests(trx, id);
    await removeBodiesOf(trx, id);
    await bumpRevision(trx);
    return true;
  });
}

type WorkflowColumns = {
  [Column in keyof Tables["workflows"]]?: Tables["workflows"][Column] | undefined;
};

/** False if the workflow does not exist or was deleted. */
export async function setColumns(
  trx: Transaction,
  id: string,
  columns: WorkflowColumns,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("workflows")
    .set(columns)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function linkTags(
  trx: Transaction,
  id: string,
  names: readonly string[],
  at: number,
): Promise<void> {
  const tags = await ensureTags(trx, names, at);
  if (tags.length === 0) return;
  const links = tags.map((tag) => ({ workflow_id: id, tag_id: tag.id }));
  await toKysely(trx).insertInto("workflow_tags").values(links).execute();
}
