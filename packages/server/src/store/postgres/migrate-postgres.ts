import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { readBuildName } from "../../lib/process/build-info.ts";
import {
  type AppliedMigration,
  compareSchema,
  createWaitLog,
  logNewer,
  type MigrateLog,
  type MigrateOptions,
  type Migration,
  migrationWaitMsMax,
  recordColumns,
  refuseEmptyDatabase,
  refuseOlder,
  refusePending,
  refuseWait,
  toLevels,
  toRecordQuery,
  toRecordValues,
} from "../migration.ts";
import { toMigrations } from "../migration-sources.ts";
import type { ConnectionPool, PooledConnection } from "./connections/connection-pool.ts";
import { isConflict, isLockTimeout } from "./postgres-errors.ts";

/** The same tables as those on SQLite, under the same names: a test compares them. */
export const postgresMigrations: readonly Migration[] = toMigrations("postgres");

/** Of the advisory lock of migrations: an arbitrary number that no other lock has. */
const lockKey = "7013246981247735158";
/** A statement that waits for a table makes all later users of the table wait too. */
const tableWaitMsMax = 5_000;
const pauseMs = 500;

/**
 * Applies the missing migrations in one transaction, and returns their names. Processes that start
 * together run one at a time by an advisory lock.
 */
export async function migratePostgres(
  pool: Pick<ConnectionPool, "reserve">,
  known: readonly Migration[] = postgresMigrations,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { isAllowed = true, mayMakeHub = true, waitMsMax = migrationWaitMsMax, log } = options;
  const logWait = createWaitLog(log, waitMsMax);
  const giveUpAt = performance.now() + waitMsMax;
  let isLogged = false;
  const connection = await pool.reserve();
  try {
    for (;;) {
      // Without anything to apply, a start needs no lock.
      const found = await readPostgresSchema(connection, known);
      const { missing } = found;
      logNewer(log, found);
      if (missing.length === 0) return [];
      const isUpgrade = missing.length < known.length;
      if (!mayMakeHub && !isUpgrade) throw refuseEmptyDatabase();
      if (!isAllowed) throw refusePending(missing);
      if (!mayMakeHub) throw refuseOlder(missing);
      if (isUpgrade && !isLogged) log?.info({}, dumpNote);
      isLogged = true;
      const done = await tryToMigrate(connection, known, log);
      if ("applied" in done) return done.applied;
      logWait(done.reason);
      if (performance.now() >= giveUpAt) throw refuseWait(done.reason, waitMsMax);
      await wait(pauseMs * (0.5 + Math.random()));
    }
  } finally {
    connection.release();
  }
}

const dumpNote =
  "The database is upgraded. The hub makes no copy of a PostgreSQL database: the way back is the dump that you made before, with pg_dump";

/** The migrations that the database lacks, or has from a newer version. */
export async function readPostgresSchema(
  connection: Pick<PooledConnection, "query">,
  known: readonly Migration[] = postgresMigrations,
) {
  return compareSchema(await readApplied(connection), known);
}

type Attempt = { applied: string[] } | { reason: string };

/** Migrates, unless another session holds the lock or a table: then says which. */
async function tryToMigrate(
  connection: PooledConnection,
  known: readonly Migration[],
  log: MigrateLog | undefined,
): Promise<Attempt> {
  await connection.query("begin");
  try {
    // For other processes that wait.
    const name = `hub migration by process ${process.pid} on ${hostname()}`;
    await connection.query("select set_config('application_name', $1, true)", [name]);
    const { rows } = await connection.query<{ locked: boolean }>(
      "select pg_try_advisory_xact_lock($1::bigint) as locked",
      [lockKey],
    );
    if (rows[0]?.locked !== true) {
      const reason = await describeHolder(connection);
      await connection.query("rollback");
      return { reason };
    }
    await connection.query(`set local lock_timeout = ${tableWaitMsMax}`);
    const applied = await applyMissing(connection, known, log);
    await connection.run("commit");
    return { applied };
  } catch (err) {
    // A connection that failed has no transaction any more.
    await connection.query("rollback").catch(() => {});
    if (isLockTimeout(err)) return { reason: heldTable };
    // Several migrations change several tables. A server that uses them in another order can end this transaction.
    if (isConflict(err)) return { reason: usedTables };
    throw err;
  }
}

const heldTable =
  "another session of PostgreSQL holds a table that the migration changes. It may be a backup or an open transaction: see pg_stat_activity.";

const usedTables =
  "servers of this database use the tables that the migration changes. Stop them if this does not end.";

async function applyMissing(
  connection: PooledConnection,
  known: readonly Migration[],
  log: MigrateLog | undefined,
): Promise<string[]> {
  await connection.query(
    'create table if not exists migrations (name text collate "C" not null primary key, checksum text collate "C" not null, applied_at bigint not null, level bigint not null default 1, hub_version text collate "C", hub_commit text collate "C")',
  );
  await connection.query(
    // Of a database that is older than levels, or than the record of builds.
    'alter table migrations add column if not exists level bigint not null default 1, add column if not exists hub_version text collate "C", add column if not exists hub_commit text collate "C"',
  );
  const levels = toLevels(known);
  const { missing } = await readPostgresSchema(connection, known);
  const build = await readBuildName();
  // The creation of a new database is not logged.
  const isUpgrade = missing.length < known.length;
  for (const migration of missing) {
    if (isUpgrade) log?.info({ migration: migration.name }, "The database is migrated");
    await connection.run(migration.sql);
    await connection.query(
      `insert into migrations (${recordColumns}) values ($1, $2, $3, $4, $5, $6)`,
      [...toRecordValues(migration, levels, build)],
    );
  }
  return missing.map(({ name }) => name);
}

type Holder = { pid: number; name: string; address: string | null; seconds: number };

async function describeHolder(connection: PooledConnection): Promise<string> {
  const { rows } = await connection.query<Holder>(
    `select pid, coalesce(application_name, '') as name, host(client_addr) as address,
      coalesce(extract(epoch from now() - xact_start), 0)::bigint as seconds
    from pg_locks left join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32 | objid::bigint) = $1::bigint`,
    [lockKey],
  );
  const [holder] = rows;
  if (holder === undefined) return "another process migrates the database.";
  const { pid, name, address, seconds } = holder;
  const from = address === null ? "" : ` from ${address}`;
  return `another process migrates the database for ${seconds} seconds now: session ${pid} of PostgreSQL${from}, ${name || "without a name"}. If it is stuck, end it with: select pg_terminate_backend(${pid})`;
}

async function readApplied(
  connection: Pick<PooledConnection, "query">,
): Promise<AppliedMigration[]> {
  const found = await connection.query<{ levels: boolean; builds: boolean }>(
    `select exists (select 1 from pg_attribute where attrelid = c.oid and attname = 'level'
      and not attisdropped) as levels,
      exists (select 1 from pg_attribute where attrelid = c.oid and attname = 'hub_version'
      and not attisdropped) as builds
    from pg_class c where c.oid = to_regclass('migrations')`,
  );
  const [table] = found.rows;
  if (table === undefined) return [];
  const text = toRecordQuery({ hasLevels: table.levels, hasBuilds: table.builds });
  return (await connection.query<AppliedMigration>(text)).rows;
}
