import { Database } from "bun:sqlite";
import { join } from "node:path";
import { toDatabaseEnv } from "./test-database.ts";

const program = join(import.meta.dirname, "query-postgres.ts");

/** Runs one statement on the database of a data folder, beside its hub, and returns its rows. */
export function queryDatabase<Row>(dataDir: string, statement: string): Row[] {
  const { HUB_DATABASE_URL: url } = toDatabaseEnv(dataDir);
  if (url !== undefined) return queryPostgres<Row>(url, statement);
  using db = new Database(join(dataDir, "hub.sqlite"), { readwrite: true });
  return db.query<Row, []>(statement).all();
}

/** In a process of its own, because the client for PostgreSQL has no synchronous functions. */
function queryPostgres<Row>(url: string, statement: string): Row[] {
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, program, url, statement]);
  if (!success) throw new Error(`${statement}: ${stderr}`);
  return JSON.parse(stdout.toString());
}
