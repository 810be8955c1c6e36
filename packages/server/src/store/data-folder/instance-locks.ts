import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isBusy } from "../sqlite/sqlite-errors.ts";
import { createPrivateFile, lockFile } from "./file-lock.ts";

/** Locks that show which instances on one data folder are alive, without a clock. */
export type InstanceLocks = {
  /** Held until the returned function is called or the process ends in any way. */
  hold(id: string): Promise<() => Promise<void>>;
  /** A live process that lost its lock has it again after this time; null if it does not take it again. */
  retakeMsMax: number | null;
  /** Null if the lock does not exist, so that the state is unknown. */
  isHeld(id: string): Promise<boolean | null>;
  /** Removes the lock of a dead instance. */
  remove(id: string): Promise<void>;
  /** Removes locks older than `madeBefore` that are neither held nor in `known`. */
  sweep(known: ReadonlySet<string>, madeBefore: number): Promise<void>;
};

/**
 * One empty file for each instance, locked by SQLite. The system releases a lock when its process
 * ends. So a killed instance is dead at once, and one that is paused or waits for its disk is
 * alive, however old its heartbeat. A process id shows neither: ids are reused, and differ between
 * containers. A file system without locks cannot hold the database either.
 */
export function createFileLocks(dataDir: string): InstanceLocks {
  const folder = join(dataDir, "instances");
  const toPath = (id: string) => join(folder, id);
  const remove = (id: string) => rmSync(toPath(id), { force: true });

  function isHeld(id: string): boolean | null {
    if (findMadeAt(toPath(id)) === null) return null;
    try {
      lockFile(toPath(id)).close(true);
      return false;
    } catch (err) {
      if (isBusy(err)) return true;
      // Another process may have removed it meanwhile.
      if (findMadeAt(toPath(id)) === null) return null;
      throw err;
    }
  }

  return {
    retakeMsMax: null,
    async hold(id) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      createPrivateFile(toPath(id));
      const lock = lockFile(toPath(id));
      return async () => {
        lock.close(true);
        remove(id);
      };
    },
    isHeld: async (id) => isHeld(id),
    remove: async (id) => remove(id),
    async sweep(known, madeBefore) {
      for (const id of listNames(folder)) {
        if (known.has(id) || (findMadeAt(toPath(id)) ?? madeBefore) >= madeBefore) continue;
        if (isHeld(id) === false) remove(id);
      }
    },
  };
}

function findMadeAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function listNames(folder: string): string[] {
  return findMadeAt(folder) === null ? [] : readdirSync(folder);
}
