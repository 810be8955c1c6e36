import type { Database } from "bun:sqlite";

/** Every secret that the key ring has sealed. The database may be of an older version. */
export function* listSealedSecrets(database: Database): Iterable<Uint8Array> {
  for (const table of ["row_values", "workflow_secrets", "row_connections", "user_accounts"]) {
    const found = database.query("select 1 from sqlite_schema where type = 'table' and name = ?");
    if (found.get(table) === null) continue;
    const statement = database.prepare<{ sealed: Uint8Array }, []>(
      `select sealed from ${table} where length(sealed) > 0`,
    );
    for (const { sealed } of statement.iterate()) yield sealed;
  }
}
