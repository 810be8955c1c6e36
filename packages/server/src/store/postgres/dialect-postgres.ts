import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { WriterLock } from "../sqlite/writer-lock.ts";
import type { ConnectionPool, PooledConnection } from "./connections/connection-pool.ts";

type PostgresDialectDeps = {
  pool: Pick<ConnectionPool, "reserve">;
  lock: Pick<WriterLock, "check">;
};

/** Kysely over the connections of Bun's PostgreSQL client. */
export function createPostgresDialect(deps: PostgresDialectDeps): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(deps),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PostgresConnection implements DatabaseConnection {
  readonly #pooled: PooledConnection;

  constructor(pooled: PooledConnection) {
    this.#pooled = pooled;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, command, count } = await this.#pooled.query<R>(sql, parameters);
    return { rows, ...(command !== "SELECT" && { numAffectedRows: BigInt(count) }) };
  }

  async run(command: string): Promise<void> {
    await this.#pooled.query(command);
  }

  release(): void {
    this.#pooled.release();
  }

  streamQuery(): never {
    throw new Error("The store does not stream: ask for a page.");
  }
}

function createDriver({ pool, lock }: PostgresDialectDeps): Driver {
  return {
    init: () => Promise.resolve(),
    async acquireConnection() {
      lock.check();
      return new PostgresConnection(await pool.reserve());
    },
    beginTransaction: (connection, { accessMode, isolationLevel }) =>
      toOwn(connection).run(
        `begin isolation level ${isolationLevel ?? "serializable"} ${accessMode ?? "read write"}`,
      ),
    commitTransaction: (connection) => toOwn(connection).run("commit"),
    rollbackTransaction: (connection) => toOwn(connection).run("rollback"),
    async releaseConnection(connection) {
      toOwn(connection).release();
    },
    destroy: () => Promise.resolve(),
  };
}

/** Kysely gives back the connections that `acquireConnection` made. */
function toOwn(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection;
  throw new Error("This connection is of another driver.");
}
