import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The keys of the operations that admins have marked as reading, sorted, by row. */
export async function listReadOperations(db: Db): Promise<Map<string, string[]>> {
  const rows = await toKysely(db)
    .selectFrom("row_operations")
    .select(["row_id", "operation_key"])
    .whereRef("reads_approved_at", "=", "approved_at")
    .where("pending", "is", null)
    .orderBy("row_id")
    .orderBy("operation_key")
    .execute();
  const keys = new Map<string, string[]>();
  for (const { row_id: id, operation_key: key } of rows) {
    const found = keys.get(id);
    if (found === undefined) keys.set(id, [key]);
    else found.push(key);
  }
  return keys;
}
