import { retryConflicts } from "./retry-conflicts.ts";
import type { Db } from "./tables.ts";

/**
 * Runs `change` in the transaction `db`, or in a new one if `db` is not a transaction. The
 * transaction is serializable: what it reads stays true until it commits, also on a database with
 * several writers. If it conflicts with another one, it is rolled back and `change` runs again.
 */
export async function inTransaction<T>(db: Db, change: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await change(db);
  return await retryConflicts((onBegin) =>
    db
      .transaction()
      .setIsolationLevel("serializable")
      .execute((trx) => {
        onBegin();
        return change(trx);
      }),
  );
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
