import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { readBuildName } from "../../lib/build-info.ts";
import {
  type AppliedMigration,
  compareSchema,
  createWaitLog,
  logNewer,
  type MigrateLog,
  type MigrateOptions,
  type Migration,
  migrationWaitMsMax,
  refuseEmptyDatabase,
  refuseOlder,
  refusePending,
  refuseWait,
  toChecksum,
  toLevels,
} from "../migration.ts";
import type { ConnectionPool, PooledConnection } from "./connection-pool.ts";
import initialSql from "./migrations/001-initial.sql" with { type: "text" };
import pluginsSql from "./migrations/002-plugins.sql" with { type: "text" };
import peopleSql from "./migrations/003-people.sql" with { type: "text" };
import oauthSql from "./migrations/004-oauth.sql" with { type: "text" };
import changesSql from "./migrations/005-changes.sql" with { type: "text" };
import historySql from "./migrations/006-history.sql" with { type: "text" };
import tokenScopesSql from "./migrations/007-token-scopes.sql" with { type: "text" };
import runBytesSql from "./migrations/008-run-bytes.sql" with { type: "text" };
import signInCountersSql from "./migrations/009-sign-in-counters.sql" with { type: "text" };
import instanceAddressesSql from "./migrations/010-instance-addresses.sql" with { type: "text" };
import embeddingsSql from "./migrations/011-embeddings.sql" with { type: "text" };
import serversSql from "./migrations/012-servers.sql" with { type: "text" };
import pluginInstallsSql from "./migrations/013-plugin-installs.sql" with { type: "text" };
import turnsAndLimitsSql from "./migrations/014-turns-and-limits.sql" with { type: "text" };
import clockOffsetsSql from "./migrations/015-clock-offsets.sql" with { type: "text" };
import failedRunsSql from "./migrations/016-failed-runs.sql" with { type: "text" };
import workflowsSql from "./migrations/017-workflows.sql" with { type: "text" };
import workflowRunsSql from "./migrations/018-workflow-runs.sql" with { type: "text" };
import workflowTriggersSql from "./migrations/019-workflow-triggers.sql" with { type: "text" };
import webhookRequestsSql from "./migrations/020-webhook-requests.sql" with { type: "text" };
import dueRunsByOwnerSql from "./migrations/021-due-runs-by-owner.sql" with { type: "text" };
import channelsSql from "./migrations/022-channels.sql" with { type: "text" };
import chatAccountsSql from "./migrations/023-chat-accounts.sql" with { type: "text" };
import workflowApprovalsSql from "./migrations/024-workflow-approvals.sql" with { type: "text" };
import rehearsalsSql from "./migrations/025-rehearsals.sql" with { type: "text" };
import approvalMessagesSql from "./migrations/026-approval-messages.sql" with { type: "text" };
import trialsSql from "./migrations/027-trials.sql" with { type: "text" };
import rowOperationsSql from "./migrations/028-row-operations.sql" with { type: "text" };
import rowConnectionsSql from "./migrations/029-row-connections.sql" with { type: "text" };
import stepOrderSql from "./migrations/030-step-order.sql" with { type: "text" };
import runHoldersSql from "./migrations/031-run-holders.sql" with { type: "text" };
import droppedRunsSql from "./migrations/032-dropped-runs.sql" with { type: "text" };
import rowOwnersSql from "./migrations/033-row-owners.sql" with { type: "text" };
import rowTestsSql from "./migrations/034-row-tests.sql" with { type: "text" };
import callCausesSql from "./migrations/035-call-causes.sql" with { type: "text" };
import readingOperationsSql from "./migrations/036-reading-operations.sql" with { type: "text" };
import { isLockTimeout } from "./postgres-errors.ts";

/** The same tables as those on SQLite, under the same names: a test compares them. */
export const postgresMigrations: readonly Migration[] = [
  { name: "001-initial", sql: initialSql },
  { name: "002-plugins", sql: pluginsSql },
  { name: "003-people", sql: peopleSql },
  { name: "004-oauth", sql: oauthSql },
  { name: "005-changes", sql: changesSql },
  { name: "006-history", sql: historySql },
  { name: "007-token-scopes", sql: tokenScopesSql },
  { name: "008-run-bytes", sql: runBytesSql },
  { name: "009-sign-in-counters", sql: signInCountersSql },
  { name: "010-instance-addresses", sql: instanceAddressesSql },
  { name: "011-embeddings", sql: embeddingsSql },
  { name: "012-servers", sql: serversSql },
  { name: "013-plugin-installs", sql: pluginInstallsSql },
  { name: "014-turns-and-limits", sql: turnsAndLimitsSql },
  { name: "015-clock-offsets", sql: clockOffsetsSql },
  { name: "016-failed-runs", sql: failedRunsSql },
  { name: "017-workflows", sql: workflowsSql },
  { name: "018-workflow-runs", sql: workflowRunsSql },
  { name: "019-workflow-triggers", sql: workflowTriggersSql },
  { name: "020-webhook-requests", sql: webhookRequestsSql },
  { name: "021-due-runs-by-owner", sql: dueRunsByOwnerSql },
  { name: "022-channels", sql: channelsSql },
  { name: "023-chat-accounts", sql: chatAccountsSql },
  { name: "024-workflow-approvals", sql: workflowApprovalsSql },
  { name: "025-rehearsals", sql: rehearsalsSql },
  { name: "026-approval-messages", sql: approvalMessagesSql },
  { name: "027-trials", sql: trialsSql },
  { name: "028-row-operations", sql: rowOperationsSql },
  { name: "029-row-connections", sql: rowConnectionsSql },
  { name: "030-step-order", sql: stepOrderSql },
  { name: "031-run-holders", sql: runHoldersSql },
  { name: "032-dropped-runs", sql: droppedRunsSql },
  { name: "033-row-owners", sql: rowOwnersSql },
  { name: "034-row-tests", sql: rowTestsSql },
  { name: "035-call-causes", sql: callCausesSql },
  { name: "036-reading-operations", sql: readingOperationsSql },
];

/** Of the advisory lock of migrations: an arbitrary number that no other lock has. */
const lockKey = "7013246981247735158";
/** A statement that waits for a table makes all later users of the table wait too. */
const tableWaitMsMax = 5_000;
const pauseMs = 500;

/**
 * Applies the missing migrations in one transaction, and returns their names. Processes that start
 * together take turns by an advisory lock.
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
    throw err;
  }
}

const heldTable =
  "another session of PostgreSQL holds a table that the migration changes. It may be a backup or an open transaction: see pg_stat_activity.";

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
  for (const { name, sql } of missing) {
    // The creation of a new database is not logged.
    if (missing.length < known.length) log?.info({ migration: name }, "The database is migrated");
    await connection.run(sql);
    await connection.query(
      "insert into migrations (name, checksum, applied_at, level, hub_version, hub_commit) values ($1, $2, $3, $4, $5, $6)",
      [
        ...[name, toChecksum(sql), Date.now(), levels.get(name) ?? 1],
        ...[build.hub_version, build.server_commit],
      ],
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
  const level = table.levels ? "level" : "1 as level";
  const builds = table.builds ? ", hub_version, hub_commit" : "";
  const text = `select name, checksum, ${level}${builds} from migrations order by name`;
  return (await connection.query<AppliedMigration>(text)).rows;
}
