import type { Kysely, RawBuilder } from "kysely";
import type { PreparedStatement } from "../plan/plan-dialect.ts";
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
  /**
   * Runs `change` once, on a private copy of the tables that it writes. Nothing is stored and no writer
   * waits. Returns the writing statements, in order.
   */
  plan<T>(
    change: (kysely: Kysely<Tables>) => Promise<T>,
  ): Promise<{ result: T; statements: PreparedStatement[] }>;
  /** Runs statements whose results are not needed, in order, in the transaction of `kysely`. */
  runAll(kysely: Kysely<Tables>, statements: readonly PreparedStatement[]): Promise<void>;
  /** Whether a transaction failed because of another one, so that it can run again. */
  isConflict(failure: unknown): boolean;
};

/** What carries the connection. */
export type Connected = { readonly [connectionKey]: Connection };
