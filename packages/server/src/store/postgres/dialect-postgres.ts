import type { ReservedSQL, SQL } from "bun";
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
import type { WriterLock } from "../writer-lock.ts";
import { awaitAnswer } from "./postgres-errors.ts";
import { toParameter, toRow } from "./to-values.ts";

type PostgresDialectDeps = { pool: SQL; lock: Pick<WriterLock, "check"> };

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
  readonly #reserved: ReservedSQL;

  constructor(reserved: ReservedSQL) {
    this.#reserved = reserved;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const result = await awaitAnswer(this.#reserved.unsafe(sql, parameters.map(toParameter)));
    return {
      rows: result.map((row: Record<string, unknown>) => toRow<R>(row)),
      ...(result.command !== "SELECT" && { numAffectedRows: BigInt(result.count ?? 0) }),
    };
  }

  async run(command: string): Promise<void> {
    await awaitAnswer(this.#reserved.unsafe(command));
  }

  release(): void {
    this.#reserved.release();
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
      return new PostgresConnection(await awaitAnswer(pool.reserve()));
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
