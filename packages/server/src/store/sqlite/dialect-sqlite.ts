import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { KeptStatements } from "./kept-statements.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { toStoreError } from "./sqlite-errors.ts";
import type { WriterLock } from "./writer-lock.ts";

type SqliteDialectDeps = {
  database: Database;
  lock: WriterLock;
  busyWaitMsMax: number;
  /** Called after each statement that may have committed a change. */
  onCommit(): void;
  /** The statements of the connection, which the caller disposes of. */
  statements: KeptStatements;
};

/**
 * Kysely over one `bun:sqlite` connection, which it shares with the run recorder through the lock.
 */
export function createSqliteDialect(deps: SqliteDialectDeps): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(deps),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(deps: SqliteDialectDeps): Driver {
  const { database, lock, busyWaitMsMax, onCommit } = deps;
  /**
   * When the current holder of the connection requested it. A request that queued behind others has
   * waited for the same locked database as they, so its wait does not start again.
   */
  let askedAt = 0;

  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      try {
        if (database.inTransaction) return executeOn<R>(deps, query);
        // A transaction gets the write lock at its begin, so only a single statement can meet
        // another writer.
        return await retryWhileBusy(busyWaitMsMax, () => executeAlone<R>(query), askedAt);
      } catch (err) {
        throw toStoreError(err);
      }
    },
    streamQuery() {
      throw new Error("The store does not stream: ask for a page.");
    },
  };

  /** Runs a statement that is a transaction of its own. */
  function executeAlone<R>(query: CompiledQuery): QueryResult<R> {
    try {
      return executeOn<R>(deps, query);
    } finally {
      onCommit();
    }
  }

  async function run(command: string): Promise<void> {
    try {
      await retryWhileBusy(busyWaitMsMax, () => database.run(command), askedAt);
    } catch (err) {
      throw toStoreError(err);
    } finally {
      onCommit();
    }
  }

  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      const now = performance.now();
      await lock.acquire();
      askedAt = now;
      return connection;
    },
    // A write transaction takes the write lock at once. If it began as a reader and another process
    // wrote in between, its first write would fail without a wait.
    beginTransaction: (_, { accessMode }) =>
      run(accessMode === "read only" ? "begin" : "begin immediate"),
    commitTransaction: () => run("commit"),
    async rollbackTransaction() {
      // On a full disk, SQLite has rolled back already.
      if (database.inTransaction) await run("rollback");
    },
    async releaseConnection() {
      lock.release();
    },
    destroy: () => Promise.resolve(),
  };
}

function executeOn<R>({ statements }: SqliteDialectDeps, query: CompiledQuery): QueryResult<R> {
  // Kysely's parameters are values of the typed tables, which SQLite can bind.
  const parameters = query.parameters as SQLQueryBindings[];
  return statements.use<R, QueryResult<R>>(query.sql, parameters, (statement) =>
    runStatement(statement, parameters),
  );
}

function runStatement<R>(
  statement: Statement<R, SQLQueryBindings[]>,
  parameters: SQLQueryBindings[],
): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(...parameters) };
  const { changes } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes) };
}
