import { type Connected, type Connection, connectionKey } from "./connection.ts";
import { retryConflicts } from "./retry-conflicts.ts";

/**
 * The database, or a transaction of it: the first argument of the functions of `store/`. It is
 * opaque, so that no other folder depends on the kind of database.
 */
export type Db = Connected;

/** Changes that are stored together or not at all. Only `transaction` makes one. */
export type Transaction = Db & { readonly [connectionKey]: { readonly isTransaction: true } };

/**
 * Runs `change` in the transaction `db`, or in a new one if `db` is not a transaction. The
 * transaction is serializable: what it reads stays true until it commits, also on a database with
 * several writers.
 *
 * If it conflicts with another transaction, it is rolled back and `change` runs again. So `change`
 * uses nothing but the given transaction: times, ids and hashes are made before it, and effects
 * follow the commit. Inside, the database itself and the run recorder would wait for this
 * transaction to end, so they refuse.
 */
export async function transaction<T>(db: Db, change: (trx: Transaction) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return await change(db);
  const connection = db[connectionKey];
  return await retryConflicts(connection, (kysely) => change(toTransaction(connection, kysely)));
}

/**
 * A transaction that excludes those with one of the same keys, in every process: they wait for each
 * other and do not conflict. For rows that many processes write at once. What `change` depends on must
 * be written only under these keys: on PostgreSQL, other rows may change while it runs.
 */
export async function exclusiveTransaction<T>(
  db: Db,
  keys: readonly string[],
  change: (trx: Transaction) => Promise<T>,
): Promise<T> {
  const connection = db[connectionKey];
  const { beginExclusive, isConflict } = connection;
  const begin: Connection["begin"] = (work) => beginExclusive(keys, work);
  return await retryConflicts({ begin, isConflict }, (kysely) =>
    change(toTransaction(connection, kysely)),
  );
}

function toTransaction(connection: Connection, kysely: Connection["kysely"]): Transaction {
  return { [connectionKey]: { ...connection, kysely, isTransaction: true } };
}

function isTransaction(db: Db): db is Transaction {
  return db[connectionKey].isTransaction;
}
