import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";
import { bumpRevision } from "../settings/revision.ts";
import { addBodyEditor, endTrial, removeUnusedBodies } from "./workflow-bodies.ts";
import { setColumns } from "./workflow-changes.ts";
import { findWorkflow } from "./workflows-table.ts";

/** A publication of a workflow. */
export type WorkflowVersion = {
  version: number;
  bodyId: string;
  note: string;
  publishedBy: string;
  publishedAt: number;
};

type Publication = {
  note: string;
  publishedBy: string;
  at: number;
  /** Older versions are removed. */
  versionsMax: number;
};

/** Publishes the draft as the next version, which is returned. Null if the workflow does not exist. */
export function publishDraft(
  db: Db,
  id: string,
  { note, publishedBy, at, versionsMax }: Publication,
): Promise<number | null> {
  return transaction(db, async (trx) => {
    const present = await findWorkflow(trx, id);
    if (present === null) return null;
    const { draftBodyId: bodyId } = present;
    const version = present.version + 1;
    await toKysely(trx)
      .insertInto("workflow_versions")
      .values({
        workflow_id: id,
        version,
        body_id: bodyId,
        note,
        published_by: publishedBy,
        published_at: at,
      })
      .execute();
    await addBodyEditor(trx, bodyId, publishedBy);
    await endTrial(trx, bodyId);
    await setColumns(trx, id, { version, published_body_id: bodyId, updated_at: at });
    await removeVersions(trx, id, version - versionsMax);
    await bumpRevision(trx);
    return version;
  });
}

/** Removes the versions up to this one. */
async function removeVersions(trx: Transaction, id: string, upTo: number): Promise<void> {
  const removed = await toKysely(trx)
    .deleteFrom("workflow_versions")
    .where("workflow_id", "=", id)
    .where("version", "<=", upTo)
    .returning("body_id")
    .execute();
  await removeUnusedBodies(
    trx,
    removed.map((version) => version.body_id),
  );
}

/** Newest first. */
export async function listVersions(db: Db, id: string): Promise<WorkflowVersion[]> {
  const versions = await toKysely(db)
    .selectFrom("workflow_versions")
    .select(tableColumns.workflow_versions)
    .where("workflow_id", "=", id)
    .orderBy("version", "desc")
    .execute();
  return versions.map(toVersion);
}

export async function findVersion(
  db: Db,
  id: string,
  version: number,
): Promise<WorkflowVersion | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_versions")
    .select(tableColumns.workflow_versions)
    .where("workflow_id", "=", id)
    .where("version", "=", version)
    .executeTakeFirst();
  return found === undefined ? null : toVersion(found);
}

function toVersion(stored: Tables["workflow_versions"]): WorkflowVersion {
  return {
    version: stored.version,
    bodyId: stored.body_id,
    note: stored.note,
    publishedBy: stored.published_by,
    publishedAt: stored.published_at,
  };
}
