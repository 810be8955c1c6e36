import type { Database } from "bun:sqlite";
import { type BuildName, readBuildName } from "../lib/build-info.ts";
import {
  type AppliedMigration,
  compareSchema,
  createWaitLog,
  logNewer,
  type MigrateOptions,
  type Migration,
  migrationWaitMsMax,
  refuseOlder,
  refusePending,
  refuseWait,
  toChecksum,
  toLevels,
} from "./migration.ts";
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
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isBusy } from "./sqlite-errors.ts";

/** In the order in which they are applied. A released migration never changes. */
export const migrations: readonly Migration[] = [
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

/**
 * Applies the missing migrations in one transaction, and returns their names. Processes that start together take
 * turns by SQLite's write lock.
 */
export async function migrate(
  database: Database,
  known: readonly Migration[] = migrations,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { isAllowed = true, mayMakeHub = true, waitMsMax = migrationWaitMsMax, log } = options;
  const logWait = createWaitLog(log, waitMsMax);
  try {
    // Without anything to apply, a start needs no lock and does not wait for a busy server.
    const found = await retryWhileBusy(waitMsMax, () => readSchema(database, known));
    const { missing } = found;
    logNewer(log, found);
    if (missing.length === 0) return [];
    if (!isAllowed) throw refusePending(missing);
    if (!mayMakeHub) throw refuseOlder(missing);
    const build = await readBuildName();
    const isUpgrade = missing.length < known.length;
    const isPending = () => readSchema(database, known).missing.length > 0;
    using _kept = isUpgrade ? await options.beforeUpgrade?.(isPending) : null;
    const begin = () => database.run("begin immediate");
    const onBusy = () => logWait(holderOfLock);
    await retryWhileBusy(waitMsMax, begin, performance.now(), onBusy);
    return applyMissing(database, known, build);
  } catch (err) {
    throw isBusy(err) ? refuseWait(holderOfLock, waitMsMax) : err;
  }
}

const holderOfLock =
  "another process writes to the SQLite database and does not end. It may be a migration, a backup or an open sqlite3 shell.";

/** The migrations that the database lacks, or has from a newer version. */
export function readSchema(database: Database, known: readonly Migration[] = migrations) {
  return compareSchema(readApplied(database), known);
}

/** Applies the missing migrations in the transaction that has begun, and commits. */
function applyMissing(database: Database, known: readonly Migration[], build: BuildName): string[] {
  try {
    // Read again: another process may have applied them before this one got the lock.
    const { missing } = readSchema(database, known);
    if (missing.length > 0) {
      ensureTable(database);
      const levels = toLevels(known);
      const record = database.query(
        "insert into migrations (name, checksum, applied_at, level, hub_version, hub_commit) values (?, ?, ?, ?, ?, ?)",
      );
      const by = [build.hub_version, build.server_commit] as const;
      for (const { name, sql } of missing) {
        database.run(sql);
        record.run(name, toChecksum(sql), Date.now(), levels.get(name) ?? 1, ...by);
      }
    }
    database.run("commit");
    return missing.map(({ name }) => name);
  } catch (err) {
    if (database.inTransaction) database.run("rollback");
    throw err;
  }
}

function ensureTable(database: Database): void {
  database.run(
    "create table if not exists migrations (name text not null primary key, checksum text not null, applied_at integer not null, level integer not null default 1, hub_version text, hub_commit text) strict",
  );
  // Of a database that is older than levels, or than the record of builds.
  for (const [name, type] of laterColumns) {
    if (!hasColumn(database, name))
      database.run(`alter table migrations add column ${name} ${type}`);
  }
}

const laterColumns = [
  ["level", "integer not null default 1"],
  ["hub_version", "text"],
  ["hub_commit", "text"],
] as const;

function hasColumn(database: Database, name: string): boolean {
  const column = database.query("select 1 from pragma_table_info('migrations') where name = ?");
  return column.get(name) !== null;
}

/** The migrations that a database records. */
export function readApplied(database: Database): AppliedMigration[] {
  const table = database
    .query("select 1 from sqlite_schema where type = 'table' and name = 'migrations'")
    .get();
  if (table === null) return [];
  const level = hasColumn(database, "level") ? "level" : "1 as level";
  const builds = hasColumn(database, "hub_version") ? ", hub_version, hub_commit" : "";
  return database
    .query<AppliedMigration, []>(
      `select name, checksum, ${level}${builds} from migrations order by name`,
    )
    .all();
}
