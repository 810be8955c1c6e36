import { createHash } from "node:crypto";
import { SQL } from "bun";

/** A PostgreSQL server whose user may create databases. Without it the tests use SQLite. */
const serverUrl = process.env.HUB_TEST_DATABASE_URL;
/** A database of this server that is copied for each data folder. */
const template = process.env.HUB_TEST_DATABASE_TEMPLATE ?? "template0";

/** Whether the hubs of the tests use PostgreSQL. */
export const usesPostgres = Boolean(serverUrl);

/** Of the tests only. */
export const testEncKey = "a92c4b1f7d3e60858c4417d09b2fe6a35d71c80e92af4b6613d8507ce41f9b2a";

/** The settings of a hub on this data folder that make it use the folder's test database. */
export function toDatabaseEnv(dataDir: string): Record<string, string> {
  if (!serverUrl) return {};
  const url = new URL(serverUrl);
  url.pathname = `/${toName(dataDir)}`;
  return { HUB_DATABASE_URL: url.href, HUB_ENC_KEY: testEncKey };
}

/** Settings of a hub that uses SQLite also if the other tests use PostgreSQL. */
export const sqliteEnv: Record<string, string> = usesPostgres
  ? { HUB_DATABASE_URL: "", HUB_ENC_KEY: "" }
  : {};

/**
 * Creates the database of a data folder, which may not exist yet. The returned function drops it.
 * Without PostgreSQL it does nothing.
 */
export async function createTestDatabase(dataDir: string): Promise<() => Promise<void>> {
  if (!serverUrl) return async () => {};
  const name = toName(dataDir);
  // A copy of the files is cheaper than a copy through the log.
  await runOnServer(
    `create database ${name} template ${template} encoding 'UTF8' strategy file_copy`,
  );
  return () => runOnServer(`drop database ${name} with (force)`);
}

async function runOnServer(statement: string): Promise<void> {
  await using server = new SQL({ url: serverUrl, max: 1 });
  await server.unsafe(statement);
}

function toName(dataDir: string): string {
  return `hub_test_${createHash("sha256").update(dataDir).digest("hex").slice(0, 24)}`;
}
