import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";
import type { RowOwner } from "./row-record.ts";

/** The owners of the rows of each connector key that has rows. */
export async function listRowOwners(db: Db): Promise<ReadonlyMap<string, Set<RowOwner | null>>> {
  const found = await toKysely(db)
    .selectFrom("connector_rows")
    .select(["connector_key", "owner"])
    .distinct()
    .execute();
  const owners = new Map<string, Set<RowOwner | null>>();
  for (const { connector_key: key, owner } of found) {
    const known = owners.get(key) ?? new Set();
    owners.set(key, known.add(owner));
  }
  return owners;
}

/** Whether a plugin with this key was ever installed, as far as the record of changes goes back. */
export async function wasPluginInstalled(db: Db, key: string): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("changes")
    .select("id")
    .where("target_kind", "=", "plugin")
    .where("target_id", "=", key)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Channels without an owner are those of built-in connectors: no plugin has channels. */
export async function claimChannels(db: Db): Promise<void> {
  await toKysely(db)
    .updateTable("connector_rows")
    .set({ owner: "built-in" })
    .where("owner", "is", null)
    .where("slug", "is not", null)
    .execute();
}

/** Decides about the rows of each key that have no owner. */
export async function claimRows(db: Db, owners: ReadonlyMap<string, RowOwner>): Promise<void> {
  if (owners.size === 0) return;
  await transaction(db, async (trx) => {
    let claimed = 0n;
    for (const [key, owner] of owners) claimed += await claimRowsOf(trx, key, owner);
    if (claimed > 0n) await bumpRevision(trx);
  });
}

async function claimRowsOf(trx: Transaction, key: string, owner: RowOwner): Promise<bigint> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("connector_rows")
    .set({ owner })
    .where("connector_key", "=", key)
    .where("owner", "is", null)
    .executeTakeFirst();
  return numUpdatedRows;
}
