import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { HubError } from "../../errors.ts";
import { makeDataFolder } from "../../lib/files/make-data-folder.ts";
import { checkOwner } from "../data-folder/check-owner.ts";
import { createPrivateFile } from "../data-folder/file-lock.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { toStoreError } from "./sqlite-errors.ts";

/** Creates the folder (0700) and the database file (0600) if missing, and opens it for writing. */
export async function openWriter(dataDir: string, busyWaitMsMax: number): Promise<Database> {
  try {
    makeDataFolder(dataDir);
    const path = databasePath(dataDir);
    for (const owned of [dataDir, path]) checkOwner(owned);
    refuseHalfRestored(dataDir);
    createPrivateFile(path);
    const database = new Database(path, { readwrite: true });
    try {
      database.run("pragma busy_timeout = 0");
      const mode = await retryWhileBusy(busyWaitMsMax, () =>
        database.query<{ journal_mode: string }, []>("pragma journal_mode = wal").get(),
      );
      if (mode?.journal_mode !== "wal") {
        throw new Error(`journal mode is ${mode?.journal_mode}, not wal: a network file system?`);
      }
      // A commit is on disk before it returns, so that audit rows survive a power failure.
      database.run("pragma synchronous = full");
      database.run("pragma foreign_keys = on");
      database.run("pragma temp_store = memory");
      database.run("pragma cache_size = -8192");
      database.run(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
    } catch (err) {
      database.close(true);
      throw err;
    }
    return database;
  } catch (err) {
    throw toUnusable(dataDir, err);
  }
}

/** Opens the existing database for reads only. */
export function openReader(dataDir: string): Database {
  const database = new Database(databasePath(dataDir), { readwrite: true });
  // In WAL mode, readers only wait for a process that recovers the log after a crash, which is
  // short.
  database.run("pragma busy_timeout = 5000");
  database.run("pragma query_only = on");
  database.run("pragma temp_store = memory");
  database.run("pragma cache_size = -8192");
  return database;
}

/** The size of the database file, with the free space of deleted rows. */
export async function readFileBytes(dataDir: string): Promise<number> {
  return (await stat(databasePath(dataDir))).size;
}

/** Whether the folder has a database. Does not open it. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(databasePath(dataDir));
}

export function databasePath(dataDir: string): string {
  return join(dataDir, "hub.sqlite");
}

/** The database of a backup, until it is complete and checked. */
export function restoringPath(dataDir: string): string {
  return `${databasePath(dataDir)}.restoring`;
}

/** A start on such a folder would make an empty database, which looks as if the backup were empty. */
function refuseHalfRestored(dataDir: string): void {
  if (hasDatabase(dataDir) || !existsSync(restoringPath(dataDir))) return;
  throw new Error(
    "a restore of a backup into it runs or was interrupted. Run hub restore again, or remove hub.sqlite.restoring",
  );
}

function toUnusable(dataDir: string, err: unknown): HubError {
  if (err instanceof HubError) return err;
  const failure = toStoreError(err);
  // It says what to do itself.
  const advice =
    failure instanceof HubError
      ? ""
      : " Check that it is a folder that you can write to, or choose another one with HUB_DATA_DIR.";
  const reason = (failure instanceof Error ? failure.message : String(failure)).replace(
    /\.?$/,
    ".",
  );
  return new HubError(
    "bad_configuration",
    "The hub's data folder cannot be used. An admin must check that the hub can write to it.",
    {
      cause: err,
      localMessage: `The data folder ${dataDir} cannot be used: ${reason}${advice}`,
    },
  );
}
