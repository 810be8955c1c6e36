import { sql } from "kysely";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The id of a used item and the time; epoch ms. */
export type Use = { id: string; at: number };

/**
 * Records when items of a table were last used. Never overwrites a newer time; ignores ids of other
 * tables.
 */
export async function touchUses(
  db: Db,
  table: "personal_access_tokens" | "oauth_grants",
  uses: readonly Use[],
): Promise<void> {
  if (uses.length === 0) return;
  await transaction(db, async (trx) => {
    for (const { id, at } of uses) {
      await sql`
        update ${sql.table(table)} set last_used_at = ${at}
        where id = ${id} and (last_used_at is null or last_used_at < ${at})`.execute(toKysely(trx));
    }
  });
}
