import type { Kysely, RawBuilder } from "kysely";
import type { Db } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Hides the connection from other folders: `scripts/check-levels.ts` refuses this file to them. */
export const connectionKey = Symbol("connection");

/** What each kind of database provides for `Db`. */
export type Connection = {
  readonly kysely: Kysely<Tables>;
  readonly isTransaction: boolean;
  /** The database's time in a statement, in epoch ms. All processes share it. */
  readonly clock: RawBuilder<number>;
  /**
   * Runs `change` once, in a new serializable transaction. If it is a retry, no transaction of any
   * process runs beside it, so that it cannot conflict again.
   */
  begin<T>(change: (kysely: Kysely<Tables>) => Promise<T>, isRetry?: boolean): Promise<T>;
  /**
   * The same, alone among the transactions of all processes that have one of these keys. It waits for
   * them instead of conflicting.
   */
  beginExclusive<T>(
    keys: readonly string[],
    change: (kysely: Kysely<Tables>) => Promise<T>,
  ): Promise<T>;
  /** Whether a transaction failed because of another one, so that it can run again. */
  isConflict(failure: unknown): boolean;
};

/** Builds and runs the statements of `store/`. */
export function toKysely(db: Db): Kysely<Tables> {
  return db[connectionKey].kysely;
}

/** The database's time in a statement, in epoch ms. */
export function toClock(db: Db): RawBuilder<number> {
  return db[connectionKey].clock;
}

/** Runs reads that must be consistent with each other. They block no writer. */
export function inSnapshot<T>(db: Db, read: (kysely: Kysely<Tables>) => Promise<T>): Promise<T> {
  const { kysely, isTransaction } = db[connectionKey];
  if (isTransaction) return read(kysely);
  return kysely
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(read);
}
