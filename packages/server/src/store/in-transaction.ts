import type { Db } from "./tables.ts";

/**
 * Runs `change` in the transaction that `db` is, or else in one of its own, which is serializable:
 * what it reads holds until it commits, on a database with several writers too.
 */
export function inTransaction<T>(db: Db, change: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return change(db);
  return db.transaction().setIsolationLevel("serializable").execute(change);
}

/** Runs reads that must agree with each other; no writer waits for them. */
export function inSnapshot<T>(db: Db, read: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return read(db);
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(read);
}
