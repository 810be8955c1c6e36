import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "./revision.ts";

/** Small facts that outlive a process, such as "the first start is done". */
export async function findSetting(db: Db, key: string): Promise<string | null> {
  const setting = await toKysely(db)
    .selectFrom("settings")
    .select("value")
    .where("key", "=", key)
    .executeTakeFirst();
  return setting?.value ?? null;
}

export async function putSetting(db: Db, key: string, value: string): Promise<void> {
  await toKysely(db)
    .insertInto("settings")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/**
 * Stores a setting that does not exist yet. True if this call stored it: of several concurrent
 * processes, only one gets true, on every database.
 */
export async function claimSetting(db: Db, key: string, value: string): Promise<boolean> {
  const made = await toKysely(db)
    .insertInto("settings")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("key")
    .executeTakeFirst();
  return made !== undefined;
}

/** The settings whose keys begin with a prefix, by key. The prefix ends with a character of ASCII. */
export async function listSettings(db: Db, prefix: string): Promise<Map<string, string>> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const settings = await toKysely(db)
    .selectFrom("settings")
    .select(["key", "value"])
    .where("key", ">=", prefix)
    .where("key", "<", end)
    .execute();
  return new Map(settings.map(({ key, value }) => [key, value]));
}

export async function deleteSetting(db: Db, key: string): Promise<void> {
  await toKysely(db).deleteFrom("settings").where("key", "=", key).execute();
}

/** Stored settings of the hub, by the name of their variable. */
export async function listStoredSettings(db: Db): Promise<Map<string, string>> {
  // The names of variables begin with HUB_, other keys do not.
  return await listSettings(db, "HUB_");
}

/** Stores a setting of the hub; null deletes it. Every process uses it from its next call on. */
export function setStoredSetting(db: Db, variable: string, text: string | null): Promise<void> {
  return transaction(db, async (trx) => {
    if (text === null) await deleteSetting(trx, variable);
    else await putSetting(trx, variable, text);
    await bumpRevision(trx);
  });
}
