import { Database } from "bun:sqlite";
import { join } from "node:path";
import { queryPostgres } from "./query-postgres.ts";
import { toDatabaseEnv } from "./test-database.ts";

/**
 * Runs one statement on the database of a data folder, beside its hub, and returns its rows. This
 * process waits for it, so it must not wait for a lock that a hub in this process holds.
 */
export function queryDatabase<Row>(dataDir: string, statement: string): Row[] {
  const { HUB_DATABASE_URL: url } = toDatabaseEnv(dataDir);
  if (url !== undefined) return queryPostgres<Row>(url, statement);
  using db = new Database(join(dataDir, "hub.sqlite"), { readwrite: true });
  // The hub may be writing.
  db.run("pragma busy_timeout = 5000");
  return db.query<Row, []>(statement).all();
}
