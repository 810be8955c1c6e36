import type { Database } from "bun:sqlite";
import { type BuildName, readBuildName } from "../lib/process/build-info.ts";
import {
  type AppliedMigration,
  compareSchema,
  createWaitLog,
  logNewer,
  type MigrateOptions,
  type Migration,
  migrationWaitMsMax,
  recordColumns,
  refuseOlder,
  refusePending,
  refuseWait,
  toLevels,
  toRecordQuery,
  toRecordValues,
} from "./migration.ts";
import { toMigrations } from "./migration-sources.ts";
import { retryWhileBusy } from "./sqlite/retry-while-busy.ts";
import { isBusy } from "./sqlite/sqlite-errors.ts";

/** In the order in which they are applied. A released migration never changes. */
export const migrations: readonly Migration[] = toMigrations("sqlite");

/**
 * Applies the missing migrations in one transaction, and returns their names. Processes that start together run
 * one at a time by SQLite's write lock.
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
        `insert into migrations (${recordColumns}) values (?, ?, ?, ?, ?, ?)`,
      );
      for (const migration of missing) {
        database.run(migration.sql);
        record.run(...toRecordValues(migration, levels, build));
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
  const query = toRecordQuery({
    hasLevels: hasColumn(database, "level"),
    hasBuilds: hasColumn(database, "hub_version"),
  });
  return database.query<AppliedMigration, []>(query).all();
}
