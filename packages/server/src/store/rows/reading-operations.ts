import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { type StoredOperation, toStoredOperation } from "./row-operations-table.ts";

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

/** A statement has a limited number of parameters. */
const rowsAtOnce = 500;

/**
 * What is stored of the operations of these rows, by row. For rows whose connectors define the operations: of these, only those are
 * stored that an admin has marked.
 */
export async function listStoredMarks(
  db: Db,
  rowIds: readonly string[],
): Promise<Map<string, StoredOperation[]>> {
  const marks = new Map<string, StoredOperation[]>();
  for (let first = 0; first < rowIds.length; first += rowsAtOnce) {
    const rows = await toKysely(db)
      .selectFrom("row_operations")
      .select(tableColumns.row_operations)
      .where("row_id", "in", rowIds.slice(first, first + rowsAtOnce))
      .orderBy("position")
      .execute();
    for (const row of rows) {
      const mark = toStoredOperation(row);
      const found = marks.get(row.row_id);
      if (found === undefined) marks.set(row.row_id, [mark]);
      else found.push(mark);
    }
  }
  return marks;
}
