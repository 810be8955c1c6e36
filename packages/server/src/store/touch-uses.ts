import { sql } from "kysely";
import { inTransaction } from "./in-transaction.ts";
import type { Db } from "./tables.ts";

/** What was used, and when; epoch ms. */
export type Use = { id: string; at: number };

/**
 * Notes when things of a table were last used; an older time never overwrites a newer one. Ids of
 * another table are passed over.
 */
export async function touchUses(
  db: Db,
  table: "personal_access_tokens" | "oauth_grants",
  uses: readonly Use[],
): Promise<void> {
  if (uses.length === 0) return;
  await inTransaction(db, async (trx) => {
    for (const { id, at } of uses) {
      await sql`
        update ${sql.table(table)} set last_used_at = ${at}
        where id = ${id} and (last_used_at is null or last_used_at < ${at})`.execute(trx);
    }
  });
}
