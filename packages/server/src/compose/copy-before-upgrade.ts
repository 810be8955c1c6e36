import { mkdirSync, readdirSync, statSync } from "node:fs";
import { rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";
import { readHubVersion } from "../lib/build-info.ts";
import { createPrivateFile, lockFile } from "../store/file-lock.ts";
import { listFaults } from "../store/integrity/list-faults.ts";
import {
  type BeforeUpgrade,
  createWaitNotes,
  type MigrateLog,
  migrationWaitMsMax,
} from "../store/migration.ts";
import { retryWhileBusy } from "../store/retry-while-busy.ts";
import { databasePath } from "../store/sqlite-connections.ts";
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
const mebibyte = 1024 ** 2;

/**
 * Copies a SQLite database before it is upgraded, into the data folder, and keeps the last two copies. A damaged
 * database is refused. Processes that start together take turns, so that one of them makes the copy.
 */
export function createUpgradeCopy(deps: CopyDeps): BeforeUpgrade {
  const { config, log, waitMsMax = migrationWaitMsMax } = deps;
  return async (isPending) => {
    const path = join(config.dataDir, "upgrade.lock");
    createPrivateFile(path);
    const noteWait = createWaitNotes(log, waitMsMax);
    const onBusy = () => noteWait("another process upgrades the database of this data folder.");
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
  const missing = await findMissingBytes(config);
  if (missing > 0) {
    const room = `The disk of the data folder lacks ${Math.ceil(missing / mebibyte)} MiB for a copy of the database before its upgrade`;
    if (upgradeBackup === "required") throw refuseNoRoom(room);
    log.warn(
      { reason: room },
      "The database is upgraded without a copy. To be refused instead, set HUB_UPGRADE_BACKUP=required; to upgrade without a copy and this line, off",
    );
    return;
  }
  const folder = join(dataDir, "upgrade-copies");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const file = join(folder, `before-${await readHubVersion()}-${at}.tar.gz`);
  const report = await backUp({
    config,
    file,
    keep: null,
    cwd: dataDir,
    passphrase: null,
    isOfUpgrade: true,
  });
  for (const name of listOldCopies(folder)) await rm(join(folder, name), { force: true });
  log.info({ file, bytes: report.bytes }, "The database was copied before its upgrade");
  onCopied?.(file);
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
async function findMissingBytes({ dataDir, diskFreeBytesMin }: Config): Promise<number> {
  const path = databasePath(dataDir);
  const bytes = ["", "-wal"].reduce(
    (sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const { bavail, bsize } = await statfs(dataDir);
  return 2 * bytes + diskFreeBytesMin - bavail * bsize;
}

function refuseNoRoom(room: string): HubError {
  return new HubError(
    "insufficient_storage",
    `${room}, so it was not upgraded (HUB_UPGRADE_BACKUP is required). Free as much, or set HUB_UPGRADE_BACKUP=off to upgrade without a copy.`,
  );
}

/** Those of other names are not the hub's. */
function listOldCopies(folder: string): string[] {
  const times = new Map(readdirSync(folder).map((name) => [name, copyName.exec(name)?.[1] ?? ""]));
  return [...times]
    .filter(([, time]) => time !== "")
    .sort(([, one], [, other]) => (one < other ? 1 : -1))
    .slice(copiesMax)
    .map(([name]) => name);
}
