import { type Kysely, sql } from "kysely";
import type { Connection } from "../../database/connection.ts";
import type { Tables } from "../../database/tables.ts";
import type { WriterLock } from "../../sqlite/writer-lock.ts";
import { createMutex } from "./mutex.ts";

type TransactionDeps = { kysely: Kysely<Tables>; lock: Pick<WriterLock, "check" | "holdWhile"> };

/**
 * Serializable transactions. Those of one process run one at a time, because many would conflict with each
 * other. One that has conflicted with another process runs again while no other one runs.
 */
export function createBegin({ kysely, lock }: TransactionDeps): Connection["begin"] {
  const mutex = createMutex();
  return async (change, isRetry = false) => {
    lock.check();
    const serializable = kysely.transaction().setIsolationLevel("serializable");
    return await mutex.take(() =>
      serializable.execute((trx) =>
        lock.holdWhile(async () => {
          // A lock of a table is taken before the transaction has a view of the data, so what the
          // transaction waited for is in its view.
          await (isRetry ? lockAlone : lockBeside).execute(trx);
          return await change(trx);
        }),
      ),
    );
  };
}

// Modes that do not conflict with the lock on all tables that pg_dump holds until it ends.
const lockBeside = sql`lock table transaction_turns in row share mode`;
const lockAlone = sql`lock table transaction_turns in exclusive mode`;

/**
 * Transactions that exclude those with a common key. At read committed, each statement sees what was
 * committed before it, so also what the locks have waited for. They never fail for another one's sake.
 */
export function createBeginExclusive({
  kysely,
  lock,
}: TransactionDeps): Connection["beginExclusive"] {
  // A mutex of their own, because each one that waits for another process takes a connection.
  const mutex = createMutex();
  return async (keys, change) => {
    lock.check();
    const exclusive = kysely.transaction().setIsolationLevel("read committed");
    return await mutex.take(() =>
      exclusive.execute((trx) =>
        lock.holdWhile(async () => {
          await lockKeys(keys).execute(trx);
          return await change(trx);
        }),
      ),
    );
  };
}

/** In one order, so that two transactions cannot wait for each other. */
function lockKeys(keys: readonly string[]) {
  return sql`
    select pg_advisory_xact_lock(key) from (
      select distinct hashtextextended(value, 0) as key
      from json_array_elements_text(${JSON.stringify(keys)}::text::json) order by key) as ordered`;
}
