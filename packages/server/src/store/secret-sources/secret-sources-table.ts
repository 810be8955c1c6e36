import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { SecretTables } from "../database/tables/secret-tables.ts";
import { bumpRevision } from "../settings/revision.ts";

/** A secret manager as it is stored. Its JSON members are texts that `connectors/secrets/` parses. */
export type SecretSourceRecord = {
  id: string;
  name: string;
  settings: string;
  sealed: Uint8Array | null;
  prefixes: string;
  revision: number;
  changedBy: string | null;
  createdAt: number;
};

/** All sources, by name. A hub has few. */
export async function listSecretSources(db: Db): Promise<SecretSourceRecord[]> {
  const found = await toKysely(db)
    .selectFrom("secret_sources")
    .select(tableColumns.secret_sources)
    .orderBy("name")
    .execute();
  return found.map(toRecord);
}

export async function findSecretSource(db: Db, id: string): Promise<SecretSourceRecord | null> {
  const found = await toKysely(db)
    .selectFrom("secret_sources")
    .select(tableColumns.secret_sources)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toRecord(found);
}

export async function insertSecretSource(
  trx: Transaction,
  source: SecretSourceRecord,
): Promise<void> {
  await toKysely(trx)
    .insertInto("secret_sources")
    .values({
      id: source.id,
      name: source.name,
      settings: source.settings,
      sealed: source.sealed,
      prefixes: source.prefixes,
      revision: source.revision,
      changed_by: source.changedBy,
      created_at: source.createdAt,
    })
    .execute();
  await bumpRevision(trx);
}

export async function updateSecretSource(
  trx: Transaction,
  source: SecretSourceRecord,
): Promise<void> {
  await toKysely(trx)
    .updateTable("secret_sources")
    .set({
      name: source.name,
      settings: source.settings,
      sealed: source.sealed,
      prefixes: source.prefixes,
      revision: source.revision,
      changed_by: source.changedBy,
    })
    .where("id", "=", source.id)
    .execute();
  await bumpRevision(trx);
}

export async function deleteSecretSource(trx: Transaction, id: string): Promise<void> {
  await toKysely(trx).deleteFrom("secret_sources").where("id", "=", id).execute();
  await bumpRevision(trx);
}

/** Stored credentials, and the same sealed again. */
export type ResealedSource = { id: string; from: Uint8Array; to: Uint8Array };

/** Replaces credentials, but not those that changed since they were read; returns their number. */
export async function replaceSealedSources(
  trx: Transaction,
  sources: readonly ResealedSource[],
): Promise<number> {
  let replaced = 0;
  for (const { id, from, to } of sources) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("secret_sources")
      .set({ sealed: to })
      .where("id", "=", id)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  if (replaced > 0) await bumpRevision(trx);
  return replaced;
}

function toRecord(stored: SecretTables["secret_sources"]): SecretSourceRecord {
  return {
    id: stored.id,
    name: stored.name,
    settings: stored.settings,
    sealed: stored.sealed,
    prefixes: stored.prefixes,
    revision: stored.revision,
    changedBy: stored.changed_by,
    createdAt: stored.created_at,
  };
}
