import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { BackupReport } from "@hub/contract/backup.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { readHubVersion } from "../../lib/process/build-info.ts";
import { listPluginNames, toPluginFolders } from "../../plugins/installed/plugin-folders.ts";
import { findKeyId } from "../../secrets/at-rest/at-rest.ts";
import { formatKeyId, parseKeyList, toKeyId } from "../../secrets/keys/key-ring.ts";
import { sealKeys } from "../../secrets/keys/sealed-keys.ts";
import { recordBackup } from "../../store/backup/last-backup.ts";
import { rotateBackups, toBackupName } from "../../store/backup/rotate-backups.ts";
import { takeSnapshot, withSnapshot } from "../../store/backup/take-snapshot.ts";
import { writeArchive } from "../../store/backup/write-archive.ts";
import { readKeyFile } from "../../store/data-folder/key-file.ts";
import { listFaults } from "../../store/integrity/list-faults.ts";
import { databasePath, hasDatabase } from "../../store/sqlite/sqlite-connections.ts";

type BackupDeps = {
  config: Config;
  /** A path; a relative one is of `cwd`. With `keep` it is a folder. */
  file: string;
  /** How many backups of this hub stay in the folder. Null makes one file and removes nothing. */
  keep: number | null;
  cwd: string;
  /** Null leaves the keys out. */
  passphrase: string | null;
  /** A copy before an upgrade: the database has been checked, and `hub doctor` does not count it as a backup. */
  isOfUpgrade?: boolean;
};

/**
 * Writes the database of the data folder to a new file, while the hub runs. The file appears when it is
 * complete and on disk. With `keep`, older backups of the folder are removed after that.
 */
export async function backUp(deps: BackupDeps): Promise<BackupReport> {
  const { config, passphrase, isOfUpgrade = false } = deps;
  const { dataDir } = config;
  // A copy to PostgreSQL also upgrades the folder's SQLite database.
  if (!isOfUpgrade) refusePostgres(config, "backup");
  if (!hasDatabase(dataDir)) {
    throw new HubError("not_found", "The data folder has no database to back up.", {
      localMessage: `The data folder ${dataDir} has no database to back up. Name the folder with --data-dir or HUB_DATA_DIR.`,
    });
  }
  const target = await findTarget(deps);
  const keys = await readKeys(config);
  if (keys === null && passphrase !== null) {
    throw new HubError("not_found", "The data folder has no key file to put into the backup.");
  }
  // On the disk of the backup, whose owner knows that it needs space.
  const unfinished = `${target.file}.${randomUUID().slice(0, 8)}`;
  const [snapshot, archive] = [`${unfinished}.database.tmp`, `${unfinished}.tmp`];
  try {
    const { createdAt } = target;
    if (!isOfUpgrade) refuseDamaged(dataDir);
    takeSnapshot(dataDir, snapshot);
    const { hubId, ...read } = withSnapshot(snapshot, ({ sealed, ...facts }) => ({
      ...facts,
      key_ids: listKeyIds(sealed, keys ?? []),
    }));
    const manifest = await writeArchive(archive, {
      databasePath: snapshot,
      rotatedFor: target.folder === null ? null : hubId,
      keys: passphrase === null || keys === null ? null : await sealKeys(keys, passphrase),
      about: {
        created_at: createdAt.toISOString(),
        hub_version: await readHubVersion(),
        ...read,
        plugins: (await listPluginNames(toPluginFolders(dataDir))).sort(),
      },
    });
    // Before another backup can remove the file again.
    const { size: bytes } = await stat(archive);
    const file = await placeBackup(archive, target);
    const isRotated = target.folder !== null;
    if (!isOfUpgrade) {
      recordBackup(dataDir, {
        at: createdAt.getTime(),
        hasKeys: manifest.keys !== null,
        isRotated,
      });
    }
    const { removed, failures } = await rotate(target, {
      made: basename(file),
      keep: deps.keep,
      hubId,
    });
    const { created_at, counts, key_ids, plugins } = manifest;
    const has_keys = manifest.keys !== null;
    const rotated = { removed, not_removed: failures };
    return { file, bytes, created_at, counts, has_keys, key_ids, plugins, ...rotated };
  } catch (err) {
    throw toReadable(err, target.file);
  } finally {
    for (const path of [snapshot, `${snapshot}-journal`, archive]) await removeUnfinished(path);
  }
}

/** What cannot be removed, such as on a read-only disk, must not hide why the backup failed. */
async function removeUnfinished(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}

type BackupTarget = {
  file: string;
  createdAt: Date;
  /** Null without rotation. */
  folder: string | null;
};

/** The file to write. In a folder of rotation, it has the time as its name. */
async function findTarget({ cwd, file, keep }: BackupDeps): Promise<BackupTarget> {
  const path = resolve(cwd, file);
  const createdAt = new Date();
  if (keep === null) {
    if (existsSync(path)) throw refuseExisting(path);
    return { file: path, createdAt, folder: null };
  }
  if (existsSync(path) && !statSync(path).isDirectory()) {
    throw new HubError("bad_request", "With --keep, name a folder.", {
      localMessage: `${path} is not a folder. With --keep, name the folder of the backups.`,
    });
  }
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (err) {
    throw toReadable(err, path);
  }
  return { file: join(path, toBackupName(createdAt.getTime())), createdAt, folder: path };
}

/** Only after a complete backup, so that a failed one removes nothing. */
async function rotate(
  { folder, createdAt }: BackupTarget,
  { made, keep, hubId }: { made: string; keep: number | null; hubId: string },
): Promise<{ removed: string[]; failures: string[] }> {
  if (folder === null || keep === null) return { removed: [], failures: [] };
  return await rotateBackups({ folder, keep, made, hubId, now: createdAt.getTime() });
}

/** A backup of a damaged database lacks what cannot be read, and would be kept in place of a whole one. */
function refuseDamaged(dataDir: string): void {
  const path = databasePath(dataDir);
  const [fault] = listFaults(path);
  if (fault === undefined) return;
  throw new HubError(
    "conflict",
    "The database is damaged, so no backup was made. Stop the hub, copy its data folder as it is, and restore the newest backup.",
    {
      localMessage: `The database ${path} is damaged, so no backup was made: ${fault.replace(/\.?$/, ".")} Stop the hub, copy the data folder as it is, and restore the newest backup with hub restore.`,
    },
  );
}

/** SQLite has its own place for a backup; PostgreSQL has its own programs. */
export function refusePostgres(config: Config, command: "backup" | "restore"): void {
  if (config.readDatabaseUrl() === null) return;
  const tool = command === "backup" ? "pg_dump" : "pg_restore";
  throw new HubError(
    "bad_configuration",
    `hub ${command} is for the SQLite database of a data folder. On PostgreSQL, use ${tool}, and keep HUB_ENC_KEY in another place.`,
  );
}

/** The keys in use. Null if there are none. */
async function readKeys(config: Config): Promise<Uint8Array[] | null> {
  const given = config.readEncKey();
  return given === null ? await readKeyFile(config.dataDir) : parseKeyList(given);
}

/** Of all keys: some only open tokens that clients hold. */
function listKeyIds(sealed: Iterable<Uint8Array>, keys: readonly Uint8Array[]): string[] {
  const ids = new Set(keys.map(toKeyId));
  for (const secret of sealed) {
    const id = findKeyId(secret);
    if (id !== null) ids.add(id);
  }
  return [...ids].map(formatKeyId).sort();
}

const placesMax = 100;

/** Places the file of a backup. One of rotation gets the next free name: two can begin in the same millisecond. */
async function placeBackup(
  from: string,
  { file, folder, createdAt }: BackupTarget,
): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const to = folder === null ? file : join(folder, toBackupName(createdAt.getTime() + tries));
    try {
      await placeFile(from, to);
      return to;
    } catch (err) {
      const isTaken = err instanceof HubError && err.code === "conflict";
      if (folder === null || !isTaken || tries === placesMax) throw err;
    }
  }
}

/** The name is complete or absent after a crash. */
async function placeFile(from: string, to: string): Promise<void> {
  if (existsSync(to)) throw refuseExisting(to);
  try {
    // Never replaces a file that another backup has placed meanwhile.
    await link(from, to);
    await rm(from);
  } catch (err) {
    if (isCode(err, "EEXIST")) throw refuseExisting(to);
    // Some file systems have no second names.
    await rename(from, to);
  }
  if (process.platform === "win32") return;
  const folder = await open(dirname(to), "r");
  await folder.sync().finally(() => folder.close());
}

function isCode(err: unknown, code: string): boolean {
  return err instanceof Error && "code" in err && err.code === code;
}

function refuseExisting(file: string): HubError {
  return new HubError("conflict", "The file exists already. Choose another name.", {
    localMessage: `${file} exists already. Choose another name, for example with the date.`,
  });
}

function toReadable(err: unknown, file: string): unknown {
  if (err instanceof HubError || !(err instanceof Error)) return err;
  const isFolderFault = ["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "EEXIST"].some((code) =>
    isCode(err, code),
  );
  const advice = isFolderFault
    ? "Name a folder that the user of the hub can write to."
    : "It needs space for a copy of the database and for the archive.";
  return new HubError("unavailable", "The backup could not be written.", {
    cause: err,
    localMessage: `The backup ${file} could not be written: ${err.message.replace(/\.?$/, ".")} ${advice}`,
  });
}
