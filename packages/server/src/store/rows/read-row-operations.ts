import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { type StoredOperation, toStoredOperation } from "./row-operations-table.ts";

/** The keys of the operations of a row that may wait for a review or are gone, in the order of the outside system. */
export async function listUnreviewedKeys(db: Db, rowId: string): Promise<string[]> {
  const rows = await toKysely(db)
    .selectFrom("row_operations")
    .select("operation_key")
    .where("row_id", "=", rowId)
    .where(({ or, eb }) =>
      or([
        eb("approved_at", "is", null),
        eb("pending", "is not", null),
        eb("gone_at", "is not", null),
      ]),
    )
    .orderBy("position")
    .execute();
  return rows.map(({ operation_key: key }) => key);
}

/** The operations of a row with these keys, at most some hundreds, in the order of the outside system. */
export async function readRowOperations(
  db: Db,
  rowId: string,
  keys: readonly string[],
): Promise<StoredOperation[]> {
  if (keys.length === 0) return [];
  const rows = await toKysely(db)
    .selectFrom("row_operations")
    .select(tableColumns.row_operations)
    .where("row_id", "=", rowId)
    .where("operation_key", "in", keys)
    .orderBy("position")
    .execute();
  return rows.map(toStoredOperation);
}
