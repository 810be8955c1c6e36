import { findNextMigration, type Migration, toChecksum } from "../migration.ts";
import type { ConnectionPool } from "./connection-pool.ts";
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
import { toRow } from "./to-values.ts";

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
];

/** The key of the advisory lock of migrations: "hub migrate" has no other meaning. */
const lockKey = "7013246981247735158";

/**
 * Applies the missing migrations in one transaction, and returns their names. Processes that start
 * together take turns by an advisory lock.
 */
export function migratePostgres(
  pool: Pick<ConnectionPool, "begin">,
  known: readonly Migration[] = postgresMigrations,
): Promise<string[]> {
  return pool.begin(async (trx) => {
    await trx.unsafe("select pg_advisory_xact_lock($1::bigint)", [lockKey]);
    await trx.unsafe(
      'create table if not exists migrations (name text collate "C" not null primary key, checksum text collate "C" not null, applied_at bigint not null)',
    );
    const appliedHere: string[] = [];
    for (;;) {
      const rows = await trx.unsafe("select name, checksum from migrations");
      const applied = rows.map((row: Record<string, unknown>) =>
        toRow<{ name: string; checksum: string }>(row),
      );
      const next = findNextMigration(applied, known);
      if (next === undefined) return appliedHere;
      await trx.unsafe(next.sql);
      await trx.unsafe("insert into migrations (name, checksum, applied_at) values ($1, $2, $3)", [
        next.name,
        toChecksum(next.sql),
        Date.now(),
      ]);
      appliedHere.push(next.name);
    }
  });
}
