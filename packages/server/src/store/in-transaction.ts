import type { Db } from "./tables.ts";

/**
 * Runs `change` in the transaction `db`, or in a new one if `db` is not a transaction. The
 * transaction is serializable: what it reads stays true until it commits, also on a database with
 * several writers.
 */
export function inTransaction<T>(db: Db, change: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return change(db);
  return db.transaction().setIsolationLevel("serializable").execute(change);
}

/** Runs reads that must be consistent with each other. They block no writer. */
export function inSnapshot<T>(db: Db, read: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return read(db);
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(read);
}
