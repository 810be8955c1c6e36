import { CompiledQuery, Kysely, sql } from "kysely";
import { HubError } from "../../errors.ts";
import type { Tracing } from "../../lib/tracing/tracing.ts";
import { connectionKey } from "../database/connection.ts";
import type { Tables } from "../database/tables.ts";
import type { MigrateLog, MigrateOptions } from "../migration.ts";
import type { PreparedStatement } from "../plan/plan-dialect.ts";
import { createRunRecorder } from "../runs/run-recorder.ts";
import { traceRuns } from "../runs/trace-runs.ts";
import { createWriterLock } from "../sqlite/writer-lock.ts";
import type { Store } from "../store.ts";
import { createWorkflowWriter } from "../workflow-runs/workflow-writer.ts";
import { createAnswerTimeout } from "./connections/answer-timeout.ts";
import { createBegin, createBeginExclusive } from "./connections/begin-serializable.ts";
import { checkSessions } from "./connections/check-session.ts";
import {
  type ConnectionEvents,
  type ConnectionPool,
  createConnectionPool,
} from "./connections/connection-pool.ts";
import { explainStart, openClient } from "./connections/open-client.ts";
import { tracePool } from "./connections/trace-pool.ts";
import { refuseUnfinishedCopy } from "./copy/copy-target.ts";
import { createPostgresCallCounts } from "./counts/call-counts-postgres.ts";
import { createPostgresHourlyCounts } from "./counts/hourly-counts-postgres.ts";
import { clockText, openDatabaseClock } from "./database-clock.ts";
import { createPostgresDialect } from "./dialect-postgres.ts";
import { createPostgresHotReads } from "./hot-reads-postgres.ts";
import { createAdvisoryLocks } from "./instance-locks-postgres.ts";
import { migratePostgres, postgresMigrations } from "./migrate-postgres.ts";
import { createListPadding } from "./pad-lists.ts";
import { createPostgresPlan } from "./plan-postgres.ts";
import { isConflict } from "./postgres-errors.ts";
import { createPostgresRunWriter } from "./run-writer-postgres.ts";
import { createPostgresSignals } from "./signals-postgres.ts";
import { createPostgresWorkflowWriter } from "./workflow-writer-postgres.ts";

type OpenPostgresDeps = {
  url: string;
  /**
   * At least two, which the start compares. Beside them, one holds the lock of this process. The client
   * opens all of them at once.
   */
  connectionsMax?: number;
  log?: MigrateLog;
  migration?: Omit<MigrateOptions, "log">;
  /** Null or absent if no traces are recorded. */
  tracing?: Tracing | null;
  /** Whether it is a part of a copy, which fills the database. */
  isForCopy?: boolean;
  /** How long a statement waits for a lock. */
  lockMsMax?: number;
};

/**
 * Less than the wait for an answer: PostgreSQL does not notice that a process has given up, so the
 * connection would stay as long as the lock. More than a paused process can hold a lock.
 */
const lockMsMaxDefault = 13_000;

/** They hold whatever the defaults of the server, the database and the user are. */
const connection = {
  // Transactions name their own level. A single statement, such as of the audit, needs no other.
  default_transaction_isolation: "read committed",
  // A paused process must not block the others with the locks of its transaction.
  idle_in_transaction_session_timeout: 4_000,
  // PostgreSQL notices within half a minute that a machine is gone without a word. Otherwise its
  // session would hold the lock of its instance for two hours, and its calls would stay `running`.
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 25_000,
};

const clock = sql<number>`${sql.raw(clockText)}`;

/** Throws `bad_configuration` if the database is unusable, or is from a newer hub. */
export async function openPostgresStore(deps: OpenPostgresDeps): Promise<Store> {
  const { url, connectionsMax = 10, tracing = null, lockMsMax = lockMsMaxDefault } = deps;
  const ownConnection = { ...connection, lock_timeout: lockMsMax };
  const resources = new AsyncDisposableStack();
  const answerTimeout = createAnswerTimeout();
  const open = (max: number, events: ConnectionEvents = {}) =>
    openClient({ url, max, connection: ownConnection, ...events });
  const connect = (max: number) => {
    const pool = createConnectionPool({ connect: (events) => open(max, events), answerTimeout });
    resources.defer(() => pool.close());
    return pool;
  };
  try {
    const pool = await start(() => connect(connectionsMax), deps);
    const lock = createWriterLock();
    const traced = tracing === null ? pool : tracePool(pool, tracing);
    const dialect = createPostgresDialect({ pool: traced, lock });
    const kysely = new Kysely<Tables>({ dialect, plugins: [createListPadding()] });
    resources.defer(() => kysely.destroy());
    // Only audit writes wait for each other by this lock. All others use it to refuse what is not theirs.
    const runs = createRunRecorder({
      lock,
      writeRuns: createPostgresRunWriter({ pool }),
      mayBeLate: (err) => err instanceof HubError && err.code === "unavailable",
    });
    resources.defer(() => lock.close());
    resources.defer(() => runs.drain());

    const callCounts = createPostgresCallCounts({ pool, holder: crypto.randomUUID() });
    resources.defer(() => callCounts.close());

    const begin = createBegin({ kysely, lock });
    const beginExclusive = createBeginExclusive({ kysely, lock });
    const workflowRuns = createWorkflowWriter(
      createPostgresWorkflowWriter({ beginExclusive, isConflict }),
    );
    resources.defer(() => workflowRuns.drain());
    const databaseClock = await openDatabaseClock({ pool });
    return {
      db: {
        [connectionKey]: {
          kysely,
          isTransaction: false,
          clock,
          isConflict,
          begin,
          beginExclusive,
          plan: createPostgresPlan(dialect),
          runAll: runInOrder,
        },
      },
      clock: databaseClock,
      signals: createPostgresSignals({ pool, connect: () => open(1) }),
      isShared: true,
      reads: createPostgresHotReads(traced),
      runs: tracing === null ? runs : traceRuns(runs, tracing, "postgresql"),
      workflowRuns,
      callCounts,
      hourlyCounts: createPostgresHourlyCounts({ pool }),
      instanceLocks: createAdvisoryLocks(pool, () => connect(1)),
      integrity: null,
      readUsedBytes: () => readBytes(pool, "pg_total_relation_size('connector_runs')"),
      describe: async () => ({
        kind: "PostgreSQL",
        bytes: await readBytes(pool, "pg_database_size(current_database())"),
        newestMigration: postgresMigrations.at(-1)?.name ?? "none",
      }),
      readStatus: () => ({
        roundTripMs: databaseClock.roundTripMs(),
        clockOffsetMs: databaseClock.offsetMs(),
        connections: { max: connectionsMax, ...pool.usage() },
      }),
      limitWaits: answerTimeout.shorten,
      close: () => resources.disposeAsync(),
    };
  } catch (err) {
    await resources.disposeAsync();
    throw err;
  }
}

async function start(
  connect: () => ConnectionPool,
  { url, log, migration, isForCopy = false }: OpenPostgresDeps,
): Promise<ConnectionPool> {
  try {
    const pool = connect();
    await checkSessions(pool);
    await migratePostgres(pool, postgresMigrations, { ...migration, log });
    if (!isForCopy) await refuseUnfinishedCopy(pool);
    return pool;
  } catch (err) {
    throw await explainStart(err, url);
  }
}

async function runInOrder(trx: Kysely<Tables>, statements: readonly PreparedStatement[]) {
  for (const { sql: text, parameters } of statements) {
    await trx.executeQuery(CompiledQuery.raw(text, [...parameters]));
  }
}

async function readBytes(pool: ConnectionPool, expression: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(`select ${expression} as bytes`);
  return rows[0]?.bytes ?? 0;
}
