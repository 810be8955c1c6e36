import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "../migrate.ts";
import { openStore } from "../open-store.ts";
import { databasePath, openWriter } from "../sqlite/sqlite-connections.ts";
import type { Store } from "../store.ts";
import { findTestPostgres, openTestPostgres } from "./test-postgres.ts";

type Deps = Parameters<typeof openStore>[0];

/**
 * Opens a store as `openStore` does. A new database is a copy of a migrated one. With `HUB_TEST_DATABASE_URL` it is one of that
 * PostgreSQL server, for tests that know of no kind of database.
 */
export async function openTestStore(deps: Deps): Promise<Store> {
  const postgres = findTestPostgres();
  if (postgres !== null) {
    const { dataDir, busyWaitMsMax: lockMsMax } = deps;
    return openTestPostgres(postgres, { dataDir, lockMsMax });
  }
  await mkdir(deps.dataDir, { recursive: true, mode: 0o700 });
  await layDatabase(deps.dataDir);
  return openStore(deps);
}

let migrated: Promise<Uint8Array> | undefined;

/**
 * Writes an empty database with all migrations into a folder that exists and has none. All the migrations take 20 ms
 * and many writes to the disk, and tests open hundreds of databases.
 */
export async function layDatabase(dataDir: string): Promise<void> {
  const path = databasePath(dataDir);
  if (!existsSync(dataDir) || existsSync(path)) return;
  migrated ??= readMigrated();
  await writeFile(path, await migrated, { mode: 0o600 });
}

async function readMigrated(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "hub-migrated-"));
  try {
    const database = await openWriter(folder, 5_000);
    await migrate(database);
    database.close(true);
    return await readFile(databasePath(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}
