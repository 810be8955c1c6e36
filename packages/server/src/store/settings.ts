import type { Db } from "./tables.ts";

/** Small facts that outlive a process, such as "the first start was made". */
export async function findSetting(db: Db, key: string): Promise<string | null> {
  const setting = await db
    .selectFrom("settings")
    .select("value")
    .where("key", "=", key)
    .executeTakeFirst();
  return setting?.value ?? null;
}

export async function putSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto("settings")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}
