import type { Db } from "./tables.ts";

/** Runs `change` in the transaction that `db` is, or else in one of its own. */
export function inTransaction<T>(db: Db, change: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? change(db) : db.transaction().execute(change);
}
