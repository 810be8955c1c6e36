import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";

/** An operation that is not offered, and why. */
export type LeftOutOperation = {
  sourceName: string;
  reason: string;
  /** Of operations that are left out together, without their names. Without it, it is one. */
  count?: number;
};

export type RowDiscovery = {
  triedAt: number;
  /** Of the last discovery that succeeded. */
  discoveredAt: number | null;
  /** Whether an admin gave a document, so that there is nothing to ask again. */
  isFromDocument: boolean;
  /** Why the last one failed. */
  failure: string | null;
  leftOut: LeftOutOperation[];
};

/** How many operations the entries stand for. */
export function countLeftOut(leftOut: readonly LeftOutOperation[]): number {
  return leftOut.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** Null if the row was never asked for its operations. */
export async function findRowDiscovery(db: Db, rowId: string): Promise<RowDiscovery | null> {
  const row = await toKysely(db)
    .selectFrom("row_discoveries")
    .select(tableColumns.row_discoveries)
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    triedAt: row.tried_at,
    discoveredAt: row.discovered_at,
    isFromDocument: row.from_document === 1,
    failure: row.failure,
    // Written by `storeRowDiscovery`.
    leftOut: JSON.parse(row.left_out) as LeftOutOperation[],
  };
}

/** The rows whose last discovery began before this time, oldest first. */
export async function listRowsToDiscover(
  db: Db,
  { before, limit }: { before: number; limit: number },
): Promise<string[]> {
  const rows = await toKysely(db)
    .selectFrom("row_discoveries")
    .innerJoin("connector_rows", "connector_rows.id", "row_id")
    .select("row_id")
    .where("tried_at", "<", before)
    .where("disabled", "=", 0)
    .where("from_document", "=", 0)
    .orderBy("tried_at")
    .limit(limit)
    .execute();
  return rows.map(({ row_id }) => row_id);
}

/** Stores how the last discovery ended. The row must exist. */
export async function storeRowDiscovery(
  trx: Transaction,
  rowId: string,
  { triedAt, discoveredAt, isFromDocument, failure, leftOut }: RowDiscovery,
): Promise<void> {
  const values = {
    tried_at: triedAt,
    discovered_at: discoveredAt,
    from_document: toFlag(isFromDocument),
    failure,
    left_out: JSON.stringify(leftOut),
  };
  await toKysely(trx)
    .insertInto("row_discoveries")
    .values({ row_id: rowId, ...values })
    .onConflict((conflict) => conflict.column("row_id").doUpdateSet(values))
    .execute();
}
