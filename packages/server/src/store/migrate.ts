import type { Database } from "bun:sqlite";
import {
  type AppliedMigration,
  findNextMigration,
  type Migration,
  toChecksum,
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
import { retryWhileBusy } from "./retry-while-busy.ts";

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
];

/** Another process may be migrating a large database. */
const migrationWaitMsMax = 60_000;

/**
 * Applies the missing migrations, each in its own transaction, and returns their names. Processes
 * that start together take turns by SQLite's write lock.
 */
export async function migrate(
  database: Database,
  known: readonly Migration[] = migrations,
): Promise<string[]> {
  const appliedHere: string[] = [];
  for (;;) {
    // Without anything to apply, a start needs no lock and does not wait for a busy server.
    const missing = await retryWhileBusy(migrationWaitMsMax, () => findNext(database, known));
    if (missing === undefined) return appliedHere;
    await retryWhileBusy(migrationWaitMsMax, () => database.run("begin immediate"));
    try {
      // Checked again: another process may have applied it before this one got the lock.
      const next = findNext(database, known);
      if (next !== undefined) {
        database.run(
          "create table if not exists migrations (name text not null primary key, checksum text not null, applied_at integer not null) strict",
        );
        database.run(next.sql);
        database
          .query("insert into migrations (name, checksum, applied_at) values (?, ?, ?)")
          .run(next.name, toChecksum(next.sql), Date.now());
      }
      database.run("commit");
      if (next !== undefined) appliedHere.push(next.name);
    } catch (err) {
      if (database.inTransaction) database.run("rollback");
      throw err;
    }
  }
}

function findNext(database: Database, known: readonly Migration[]): Migration | undefined {
  return findNextMigration(readApplied(database), known);
}

function readApplied(database: Database): AppliedMigration[] {
  const table = database
    .query("select 1 from sqlite_schema where type = 'table' and name = 'migrations'")
    .get();
  if (table === null) return [];
  return database.query<AppliedMigration, []>("select name, checksum from migrations").all();
}
