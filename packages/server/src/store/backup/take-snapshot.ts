import { Database } from "bun:sqlite";
import { createPrivateFile } from "../data-folder/file-lock.ts";
import { readApplied } from "../migrate.ts";
import { listSealedSecrets } from "../sqlite/sealed-secrets-sqlite.ts";
import { databasePath } from "../sqlite/sqlite-connections.ts";
import type { BackupManifest } from "./backup-manifest.ts";

/**
 * Writes the database of a folder as it is at one moment to a new file (0600). Other processes may
 * write meanwhile. The database is not migrated, so that it can be kept before an upgrade.
 */
export function takeSnapshot(dataDir: string, path: string): void {
  const database = new Database(databasePath(dataDir), { readwrite: true });
  try {
    database.run("pragma busy_timeout = 5000");
    database.run("pragma temp_store = memory");
    // SQLite writes to an empty file, and keeps its mode.
    createPrivateFile(path);
    database.query("vacuum into ?").run(path);
  } finally {
    database.close(true);
  }
}

type DatabaseFacts = Pick<BackupManifest, "migrations" | "counts"> & {
  /** Every secret that the key ring has sealed. */
  sealed: Iterable<Uint8Array>;
  /** The random id of the hub; empty before its first start. */
  hubId: string;
};

/** Reads what a backup says of its database. Throws if a part of the file is missing or damaged. */
export function withSnapshot<T>(path: string, read: (facts: DatabaseFacts) => T): T {
  // Not read-only: SQLite could not read a file that a killed process left with its journal.
  const database = new Database(path, { readwrite: true });
  try {
    const [{ integrity_check: found } = { integrity_check: "nothing" }] = database
      .query<{ integrity_check: string }, []>("pragma integrity_check(1)")
      .all();
    if (found !== "ok") throw new Error(`The database of the backup is damaged: ${found}`);
    return read({
      migrations: readApplied(database),
      counts: readCounts(database),
      sealed: listSealedSecrets(database),
      hubId: readHubId(database),
    });
  } finally {
    database.close(true);
  }
}

function readHubId(database: Database): string {
  const found = database.query<{ value: string }, []>(
    "select value from settings where key = 'hub_id'",
  );
  return found.get()?.value ?? "";
}

function readCounts(database: Database): BackupManifest["counts"] {
  const count = (table: string): number => {
    const found = database.query("select 1 from sqlite_schema where type = 'table' and name = ?");
    if (found.get(table) === null) return 0;
    return database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? 0;
  };
  return {
    users: count("users"),
    tokens: count("personal_access_tokens"),
    rows: count("connector_rows"),
    runs: count("connector_runs"),
    workflows: count("workflows"),
    workflow_runs: count("workflow_runs"),
  };
}
