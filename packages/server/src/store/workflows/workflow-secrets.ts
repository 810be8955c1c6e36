import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";

/** A secret of a workflow, sealed for this workflow and name. */
export type WorkflowSecret = { name: string; sealed: Uint8Array; updatedAt: number };

/** The secrets of a workflow, by name. */
export async function listWorkflowSecrets(db: Db, workflowId: string): Promise<WorkflowSecret[]> {
  return await toKysely(db)
    .selectFrom("workflow_secrets")
    .select(["name", "sealed", "updated_at as updatedAt"])
    .where("workflow_id", "=", workflowId)
    .orderBy("name")
    .execute();
}

/** The secrets of all workflows, with the workflows' names. */
export async function listAllWorkflowSecrets(db: Db): Promise<NamedSecret[]> {
  return await toKysely(db)
    .selectFrom("workflow_secrets")
    .innerJoin("workflows", "workflows.id", "workflow_id")
    .select(["workflow_id as workflowId", "workflows.name as label", "workflow_secrets.name"])
    .select(["sealed", "workflow_secrets.updated_at as updatedAt"])
    .orderBy("workflow_id")
    .orderBy("workflow_secrets.name")
    .execute();
}

export type NamedSecret = WorkflowSecret & {
  workflowId: string;
  /** The workflow's name. */
  label: string;
};

/** Sets or replaces a secret. The workflow exists. */
export function putWorkflowSecret(
  db: Db,
  workflowId: string,
  { name, sealed, updatedAt }: WorkflowSecret,
): Promise<void> {
  return transaction(db, async (trx) => {
    await toKysely(trx)
      .insertInto("workflow_secrets")
      .values({ workflow_id: workflowId, name, sealed, updated_at: updatedAt })
      .onConflict((conflict) =>
        conflict.columns(["workflow_id", "name"]).doUpdateSet({ sealed, updated_at: updatedAt }),
      )
      .execute();
    await bumpRevision(trx);
  });
}

/** False if it does not exist. */
export function deleteWorkflowSecret(db: Db, workflowId: string, name: string): Promise<boolean> {
  return transaction(db, async (trx) => {
    const { numDeletedRows } = await toKysely(trx)
      .deleteFrom("workflow_secrets")
      .where("workflow_id", "=", workflowId)
      .where("name", "=", name)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await bumpRevision(trx);
    return true;
  });
}

/** A stored secret, and the same secret sealed again. */
export type ResealedSecret = {
  workflowId: string;
  name: string;
  from: Uint8Array;
  to: Uint8Array;
};

/** Replaces stored secrets, but not those that changed since they were read; returns their number. */
export async function replaceWorkflowSecrets(
  trx: Transaction,
  secrets: readonly ResealedSecret[],
): Promise<number> {
  let replaced = 0;
  for (const { workflowId, name, from, to } of secrets) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("workflow_secrets")
      .set({ sealed: to })
      .where("workflow_id", "=", workflowId)
      .where("name", "=", name)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  if (replaced > 0) await bumpRevision(trx);
  return replaced;
}
