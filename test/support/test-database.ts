import { basename } from "node:path";
import { SQL } from "bun";

/** A PostgreSQL server whose user may create databases. Without it the tests use SQLite. */
const serverUrl = process.env.HUB_TEST_DATABASE_URL;

/** Whether the hubs of the tests use PostgreSQL. */
export const usesPostgres = Boolean(serverUrl);

/** Of the tests only. */
const encKey = "5a".repeat(32);

/** The settings of a hub on this data folder that make it use the folder's test database. */
export function toDatabaseEnv(dataDir: string): Record<string, string> {
  if (!serverUrl) return {};
  const url = new URL(serverUrl);
  url.pathname = `/${toName(dataDir)}`;
  return { HUB_DATABASE_URL: url.href, HUB_ENC_KEY: encKey };
}

/** Creates the database of a data folder. The returned function drops it. */
export async function createTestDatabase(dataDir: string): Promise<() => Promise<void>> {
  if (!serverUrl) return async () => {};
  const name = toName(dataDir);
  await runOnServer(`create database "${name}" template template0 encoding 'UTF8'`);
  return () => runOnServer(`drop database "${name}" with (force)`);
}

async function runOnServer(statement: string): Promise<void> {
  await using server = new SQL({ url: serverUrl, max: 1 });
  await server.unsafe(statement);
}

function toName(dataDir: string): string {
  return basename(dataDir);
}
