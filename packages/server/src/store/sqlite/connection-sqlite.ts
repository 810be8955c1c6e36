import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { type Kysely, sql } from "kysely";
import type { Connection } from "../database/connection.ts";
import type { Tables } from "../database/tables.ts";
import type { PreparedStatement } from "../plan/plan-dialect.ts";
import { createSqlitePlan } from "./plan-sqlite.ts";
import { isConflict, toStoreError } from "./sqlite-errors.ts";
import type { WriterLock } from "./writer-lock.ts";

type SqliteConnectionDeps = {
  dataDir: string;
  /** The connection of `kysely`. */
  database: Database;
  kysely: Kysely<Tables>;
  lock: WriterLock;
};

const clock = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

export function createSqliteConnection(deps: SqliteConnectionDeps): Connection {
  const { dataDir, database, kysely, lock } = deps;
  const begin: Connection["begin"] = (change) =>
    kysely
      .transaction()
      .setIsolationLevel("serializable")
      .execute((trx) => lock.holdWhile(() => change(trx)));
  return {
    kysely,
    isTransaction: false,
    clock,
    isConflict,
    begin,
    // Only one process at a time can write.
    beginExclusive: (_keys, change) => begin(change),
    plan: createSqlitePlan(dataDir),
    runAll: async (_kysely, statements) => runAll(database, statements),
  };
}

/** Other writers wait meanwhile, so each text is prepared once, and nothing else gets a turn. */
function runAll(database: Database, statements: readonly PreparedStatement[]): void {
  if (!database.inTransaction) throw new Error("These statements belong in a transaction.");
  const prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  try {
    for (const { sql: text, parameters } of statements) {
      let statement = prepared.get(text);
      if (statement === undefined) {
        statement = database.prepare<unknown, SQLQueryBindings[]>(text);
        prepared.set(text, statement);
      }
      // Kysely's parameters are values of the typed tables, which SQLite can bind.
      statement.run(...(parameters as SQLQueryBindings[]));
    }
  } catch (err) {
    throw toStoreError(err);
  } finally {
    for (const statement of prepared.values()) statement.finalize();
  }
}
