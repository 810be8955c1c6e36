import type { Database } from "bun:sqlite";

const sealedColumns = [
  ["row_values", "sealed"],
  ["workflow_secrets", "sealed"],
  ["row_connections", "sealed"],
  ["user_accounts", "sealed"],
  ["second_factors", "sealed"],
  ["provider_sessions", "sealed"],
  ["pending_calls", "sealed"],
  ["pending_calls", "result"],
  ["secret_sources", "sealed"],
] as const;

/** Every secret that the key ring has sealed. The database may be of an older version. */
export function* listSealedSecrets(database: Database): Iterable<Uint8Array> {
  for (const [table, column] of sealedColumns) {
    const found = database.query("select 1 from sqlite_schema where type = 'table' and name = ?");
    if (found.get(table) === null) continue;
    const statement = database.prepare<{ sealed: Uint8Array }, []>(
      `select ${column} as sealed from ${table} where length(${column}) > 0`,
    );
    for (const { sealed } of statement.iterate()) yield sealed;
  }
}
