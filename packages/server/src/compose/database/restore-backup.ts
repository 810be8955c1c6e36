import { statSync } from "node:fs";
import { link, open, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RestoreReport } from "@hub/contract/backup.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { makeDataFolder } from "../../lib/files/make-data-folder.ts";
import { formatKeyId, parseKeyList, toKeyId } from "../../secrets/keys/key-ring.ts";
import { openSealedKeys, sealedKeysSchema } from "../../secrets/keys/sealed-keys.ts";
import type { BackupManifest } from "../../store/backup/backup-manifest.ts";
import { forgetProcesses } from "../../store/backup/forget-processes.ts";
import { recordBackup } from "../../store/backup/last-backup.ts";
import { readArchive } from "../../store/backup/read-archive.ts";
import { withSnapshot } from "../../store/backup/take-snapshot.ts";
import { createPrivateFile, lockFile } from "../../store/data-folder/file-lock.ts";
import { readKeyFile, writeKeyFile } from "../../store/data-folder/key-file.ts";
import { migrations } from "../../store/migrate.ts";
import { compareSchema } from "../../store/migration.ts";
import { databasePath, hasDatabase, restoringPath } from "../../store/sqlite/sqlite-connections.ts";
import { refusePostgres } from "./back-up.ts";

type RestoreDeps = {
  config: Config;
  /** A path; a relative one is of `cwd`. */
  file: string;
  cwd: string;
  /** Restores although no key opens the stored secrets. */
  withoutKeys: boolean;
  /** Asked only if the keys of the backup are needed. */
  readPassphrase(): Promise<string>;
};

/**
 * Restores a backup into a data folder without a database. The database appears in the folder when it is
 * complete and checked. An interrupted restore is begun again.
 */
export async function restoreBackup(deps: RestoreDeps): Promise<RestoreReport> {
  const { config, cwd } = deps;
  const { dataDir } = config;
  refusePostgres(config, "restore");
  const file = resolve(cwd, deps.file);
  refuseMissing(file);
  refuseUsedFolder(dataDir);
  makeDataFolder(dataDir);
  const lock = lockFolder(dataDir);
  try {
    const unchecked = restoringPath(dataDir);
    await removeDatabase(unchecked);
    try {
      const { manifest, keys } = await readArchive(file, unchecked);
      const pending = checkDatabase(unchecked, manifest);
      const origin = await placeKeys(deps, manifest, keys);
      forgetProcesses(unchecked);
      const at = Date.parse(manifest.created_at);
      recordBackup(dataDir, { at, hasKeys: keys !== null }, unchecked);
      await placeDatabase(dataDir);
      const { created_at, hub_version, counts, plugins } = manifest;
      return { folder: dataDir, created_at, hub_version, counts, keys: origin, plugins, pending };
    } catch (err) {
      throw toReadable(err, file, dataDir);
    } finally {
      await removeDatabase(unchecked);
    }
  } finally {
    lock.close(true);
  }
}

function refuseMissing(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile()) return;
  // A pipe would be waited for without end.
  const reason =
    stats === undefined ? "does not exist" : stats.isDirectory() ? "is a folder" : "is not a file";
  throw new HubError("not_found", `The backup ${reason}.`, {
    localMessage: `The backup ${file} ${reason}. Name the file that hub backup has written.`,
  });
}

function toReadable(err: unknown, file: string, dataDir: string): unknown {
  if (err instanceof HubError || !(err instanceof Error)) return err;
  return new HubError("unavailable", "The backup could not be restored.", {
    cause: err,
    localMessage: `The backup ${file} could not be restored: ${err.message.replace(/\.?$/, ".")} The folder ${dataDir} needs space for the whole database. Nothing was restored.`,
  });
}

function lockFolder(dataDir: string) {
  // It stays: removing it would let one process lock the removed file and another one a new file.
  const path = join(dataDir, "restore.lock");
  createPrivateFile(path);
  try {
    return lockFile(path);
  } catch (cause) {
    throw new HubError("conflict", "Another restore into this data folder runs.", { cause });
  }
}

function refuseUsedFolder(dataDir: string): void {
  if (!hasDatabase(dataDir)) return;
  throw new HubError("conflict", "The data folder has a database already.", {
    localMessage: `The data folder ${dataDir} has a database already, which a restore does not replace. Name an empty folder with --data-dir or HUB_DATA_DIR, or move the old folder away.`,
  });
}

/** Compares the file with its manifest, and the schema with this version. Answers what is missing. */
function checkDatabase(path: string, manifest: BackupManifest): string[] {
  return withSnapshot(path, ({ migrations: applied, counts }) => {
    if (JSON.stringify(counts) !== JSON.stringify(manifest.counts)) {
      throw new HubError("bad_request", "The backup has other numbers of rows than it says.");
    }
    const { missing, newer } = compareSchema(applied, migrations);
    const [first] = newer;
    if (first === undefined) return missing.map(({ name }) => name);
    throw new HubError(
      "bad_configuration",
      `The backup was made by a newer version (${manifest.hub_version}, migration ${first}). Restore it with that version or a later one.`,
    );
  });
}

/** The keys that the database needs are in force after this. */
async function placeKeys(
  { config, withoutKeys, readPassphrase }: RestoreDeps,
  { key_ids: needed }: BackupManifest,
  sealed: unknown,
): Promise<RestoreReport["keys"]> {
  const { dataDir } = config;
  const given = config.readEncKey();
  if (given !== null) {
    checkKeys(parseKeyList(given), needed, "HUB_ENC_KEY");
    return "environment";
  }
  const present = await readKeyFile(dataDir);
  if (present !== null) {
    checkKeys(present, needed, `the key file in ${dataDir}`);
    return "folder";
  }
  if (withoutKeys) return "none";
  if (sealed === null) {
    throw new HubError(
      "bad_configuration",
      `The backup has no keys, and without them its stored secrets cannot be opened. Copy keys.json of the old data folder to ${dataDir}, or set HUB_ENC_KEY. If the keys are lost, use --without-keys and set the secrets again.`,
    );
  }
  const parsed = sealedKeysSchema.safeParse(sealed);
  if (!parsed.success) {
    throw new HubError(
      "bad_request",
      "The keys of the backup are of a form that is not known here.",
    );
  }
  const keys = await openSealedKeys(parsed.data, await readPassphrase());
  if (keys === null) {
    throw new HubError("bad_request", "The passphrase does not open the keys of the backup.");
  }
  checkKeys(keys, needed, "the backup");
  await writeKeyFile(dataDir, keys);
  return "backup";
}

function checkKeys(keys: readonly Uint8Array[], needed: readonly string[], place: string): void {
  const ids = new Set(keys.map((key) => formatKeyId(toKeyId(key))));
  const missing = needed.filter((id) => !ids.has(id));
  if (missing.length === 0) return;
  throw new HubError(
    "bad_configuration",
    `The backup needs keys that ${place} lacks: ${missing.join(", ")}. Without them, stored secrets and tokens that clients hold cannot be opened. Restore with the keys of the old hub.`,
  );
}

async function placeDatabase(dataDir: string): Promise<void> {
  const [from, to] = [restoringPath(dataDir), databasePath(dataDir)];
  const file = await open(from, "r+");
  await file.sync().finally(() => file.close());
  // Unlike a rename, a link never replaces a database that was made meanwhile.
  await link(from, to).catch((err) => {
    refuseUsedFolder(dataDir);
    throw err;
  });
  if (process.platform === "win32") return;
  const folder = await open(dataDir, "r");
  await folder.sync().finally(() => folder.close());
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) await rm(path + suffix, { force: true });
}
