import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { SecretTables } from "../database/tables/secret-tables.ts";
import { bumpRevision } from "../settings/revision.ts";

/** A secret in a manager that rows and workflows may name. */
export type SecretReferenceRecord = {
  id: string;
  name: string;
  sourceId: string;
  path: string;
  field: string;
  version: string | null;
  /** These three are JSON. */
  tags: string;
  rows: string;
  hosts: string;
  revision: number;
  changedBy: string | null;
  createdAt: number;
};

/** All references, by name. Every server holds them in memory while something names one. */
export async function listSecretReferences(db: Db): Promise<SecretReferenceRecord[]> {
  const found = await toKysely(db)
    .selectFrom("secret_references")
    .select(tableColumns.secret_references)
    .orderBy("name")
    .execute();
  return found.map(toRecord);
}

/** Which rows each reference names, as JSON. A snapshot of the rows is loaded with it. */
export async function listReferenceRows(db: Db): Promise<Array<{ id: string; rows: string }>> {
  return await toKysely(db).selectFrom("secret_references").select(["id", "rows"]).execute();
}

export async function findSecretReference(
  db: Db,
  id: string,
): Promise<SecretReferenceRecord | null> {
  const found = await toKysely(db)
    .selectFrom("secret_references")
    .select(tableColumns.secret_references)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toRecord(found);
}

export async function insertSecretReference(
  trx: Transaction,
  reference: SecretReferenceRecord,
): Promise<void> {
  await toKysely(trx)
    .insertInto("secret_references")
    .values({ id: reference.id, created_at: reference.createdAt, ...toChanged(reference) })
    .execute();
  await bumpRevision(trx);
}

export async function updateSecretReference(
  trx: Transaction,
  reference: SecretReferenceRecord,
): Promise<void> {
  await toKysely(trx)
    .updateTable("secret_references")
    .set(toChanged(reference))
    .where("id", "=", reference.id)
    .execute();
  await bumpRevision(trx);
}

export async function deleteSecretReference(trx: Transaction, id: string): Promise<void> {
  await toKysely(trx).deleteFrom("secret_references").where("id", "=", id).execute();
  await bumpRevision(trx);
}

function toChanged(reference: SecretReferenceRecord) {
  return {
    name: reference.name,
    source_id: reference.sourceId,
    path: reference.path,
    field: reference.field,
    version: reference.version,
    tags: reference.tags,
    rows: reference.rows,
    hosts: reference.hosts,
    revision: reference.revision,
    changed_by: reference.changedBy,
  };
}

function toRecord(stored: SecretTables["secret_references"]): SecretReferenceRecord {
  return {
    id: stored.id,
    name: stored.name,
    sourceId: stored.source_id,
    path: stored.path,
    field: stored.field,
    version: stored.version,
    tags: stored.tags,
    rows: stored.rows,
    hosts: stored.hosts,
    revision: stored.revision,
    changedBy: stored.changed_by,
    createdAt: stored.created_at,
  };
}
