import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { readHubVersion } from "../../lib/process/build-info.ts";
import { createPrivateFile, lockFile } from "../../store/data-folder/file-lock.ts";
import { listFaults } from "../../store/integrity/list-faults.ts";
import {
  type BeforeUpgrade,
  createWaitLog,
  type MigrateLog,
  migrationWaitMsMax,
} from "../../store/migration.ts";
import { retryWhileBusy } from "../../store/sqlite/retry-while-busy.ts";
import { databasePath } from "../../store/sqlite/sqlite-connections.ts";
import { backUp } from "./back-up.ts";

type CopyDeps = {
  config: Config;
  log: MigrateLog;
  /** How long it waits for another process that upgrades. */
  waitMsMax?: number;
  /** Called with the file of the copy. */
  onCopied?: (file: string) => void;
};

const copiesMax = 2;
const copyName = /^before-.+-(\d{8}T\d{6}Z)\.tar\.gz$/;
/** What a killed process leaves of a copy. */
const leftoverName =
  /^before-.+-\d{8}T\d{6}Z\.tar\.gz\.[0-9a-f]{8}\.(?:database\.)?tmp(?:-journal)?$/;
const mebibyte = 1024 ** 2;

/**
 * Copies a SQLite database before it is upgraded, into the data folder, and keeps the last two copies. A damaged
 * database is refused. Processes that start together run one at a time, so that one of them makes the copy.
 */
export function createUpgradeCopy(deps: CopyDeps): BeforeUpgrade {
  const { config, log, waitMsMax = migrationWaitMsMax } = deps;
  return async (isPending) => {
    const path = join(config.dataDir, "upgrade.lock");
    createPrivateFile(path);
    const logWait = createWaitLog(log, waitMsMax);
    const onBusy = () => logWait("another process upgrades the database of this data folder.");
    const lock = await retryWhileBusy(waitMsMax, () => lockFile(path), undefined, onBusy);
    const held = { [Symbol.dispose]: () => lock.close(true) };
    try {
      if (isPending()) await keepCopy(deps);
      return held;
    } catch (err) {
      held[Symbol.dispose]();
      throw err;
    }
  };
}

async function keepCopy({ config, log, onCopied }: CopyDeps): Promise<void> {
  const { dataDir, upgradeBackup } = config;
  refuseDamaged(dataDir);
  if (upgradeBackup === "off") return;
  const folder = join(dataDir, "upgrade-copies");
  openFolder(folder);
  const missing = await findMissingBytes(config, folder);
  if (missing > 0) {
    const lack = `The disk of the data folder lacks ${Math.ceil(missing / mebibyte)} MiB for a copy of the database before its upgrade`;
    if (upgradeBackup === "required") throw refuseNoSpace(lack);
    log.warn(
      { reason: lack },
      "The database is upgraded without a copy. To be refused instead, set HUB_UPGRADE_BACKUP=required; to upgrade without a copy and this line, off",
    );
    return;
  }
  const name = toFreeName(folder, await readHubVersion());
  const file = join(folder, name);
  const options = { file, keep: null, cwd: dataDir, passphrase: null, isOfUpgrade: true };
  const { bytes } = await backUp({ config, ...options }).catch((err) => {
    throw refuseFailure(err);
  });
  for (const old of listOldCopies(folder, name)) await rm(join(folder, old), { force: true });
  log.info({ file, bytes }, "The database was copied before its upgrade");
  onCopied?.(file);
}

/** Makes the folder, and removes what killed processes left, each as large as the database. The lock is held. */
function openFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) {
      if (leftoverName.test(name)) rmSync(join(folder, name), { force: true });
    }
  } catch (err) {
    throw refuseFailure(err);
  }
}

/** A process that starts again at once, after a failed upgrade, may find a copy of the same second. */
function toFreeName(folder: string, version: string): string {
  for (let at = Date.now(); ; at += 1000) {
    const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
    const name = `before-${version}-${time}.tar.gz`;
    if (!existsSync(join(folder, name))) return name;
  }
}

function refuseDamaged(dataDir: string): void {
  const path = databasePath(dataDir);
  const [fault] = listFaults(path);
  if (fault === undefined) return;
  const advice =
    "Start the version that made it, or stop the hub, copy its data folder as it is, and restore the newest backup.";
  throw new HubError("conflict", `The database is damaged, so it was not upgraded. ${advice}`, {
    localMessage: `The database ${path} is damaged, so it was not upgraded: ${fault.replace(/\.?$/, ".")} ${advice}`,
  });
}

/** A copy takes a snapshot of the database and then an archive of it, which is smaller. */
async function findMissingBytes(
  { dataDir, diskFreeBytesMin }: Config,
  folder: string,
): Promise<number> {
  const path = databasePath(dataDir);
  const bytes = ["", "-wal"].reduce(
    (sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const { bavail, bsize } = await statfs(folder);
  return 2 * bytes + diskFreeBytesMin - bavail * bsize;
}

function refuseNoSpace(lack: string): HubError {
  return new HubError(
    "insufficient_storage",
    `${lack}, so it was not upgraded (HUB_UPGRADE_BACKUP is required). Free as much, or set HUB_UPGRADE_BACKUP=off to upgrade without a copy.`,
  );
}

function refuseFailure(err: unknown): HubError {
  const failed = "The database was not upgraded, because it could not be copied before.";
  const advice = "Correct this, or set HUB_UPGRADE_BACKUP=off to upgrade without a copy.";
  const reason = err instanceof HubError ? (err.localMessage ?? err.message) : String(err);
  return new HubError("unavailable", `${failed} ${advice}`, {
    cause: err,
    localMessage: `${failed} ${reason.replace(/\.?$/, ".")} ${advice}`,
  });
}

/** Those of other names are not the hub's. The new one stays in any case: a clock can go back. */
function listOldCopies(folder: string, made: string): string[] {
  const times = new Map(readdirSync(folder).map((name) => [name, copyName.exec(name)?.[1] ?? ""]));
  return [...times]
    .filter(([name, time]) => time !== "" && name !== made)
    .sort(([, one], [, other]) => (one < other ? 1 : -1))
    .slice(copiesMax - 1)
    .map(([name]) => name);
}
