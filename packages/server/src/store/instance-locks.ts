import { Database } from "bun:sqlite";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { createPrivateFile } from "./sqlite-connections.ts";
import { isBusy } from "./sqlite-errors.ts";

/** How instances on one data folder tell who of them lives, without a clock. */
export type InstanceLocks = {
  /** Held until the returned function is called or the process ends, however it ends. */
  hold(id: string): () => void;
  /** Null where the lock is not there, so that nobody can tell. */
  isHeld(id: string): boolean | null;
  /** Removes the lock of an instance that is dead. */
  remove(id: string): void;
  /** Removes locks that nobody holds or `known` names, where they were made before a time. */
  sweep(known: ReadonlySet<string>, madeBefore: number): void;
};

/**
 * One empty file for each instance, locked by SQLite. The system lets go of a lock at the moment its
 * process ends. So a killed instance is dead at once, and one that is stopped or waits for its disk
 * lives, however old its heartbeat; a process id tells neither, since ids are used again, and mean
 * another process in another container. Whoever cannot lock files cannot use the database either.
 */
export function createFileLocks(dataDir: string): InstanceLocks {
  const folder = join(dataDir, "instances");
  const toPath = (id: string) => join(folder, id);
  const remove = (id: string) => rmSync(toPath(id), { force: true });

  function isHeld(id: string): boolean | null {
    if (findMadeAt(toPath(id)) === null) return null;
    try {
      openLocked(toPath(id)).close(true);
      return false;
    } catch (err) {
      if (isBusy(err)) return true;
      // Another process may have found it dead, too, and removed it.
      if (findMadeAt(toPath(id)) === null) return null;
      throw err;
    }
  }

  return {
    hold(id) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      createPrivateFile(toPath(id));
      const lock = openLocked(toPath(id));
      return () => {
        lock.close(true);
        remove(id);
      };
    },
    isHeld,
    remove,
    sweep(known, madeBefore) {
      for (const id of listNames(folder)) {
        if (known.has(id) || (findMadeAt(toPath(id)) ?? madeBefore) >= madeBefore) continue;
        if (isHeld(id) === false) remove(id);
      }
    },
  };
}

function openLocked(path: string): Database {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("pragma busy_timeout = 0");
    // Nothing is ever written to it, and a journal would be one more file to leave behind.
    database.run("pragma journal_mode = memory");
    database.run("begin exclusive");
    return database;
  } catch (err) {
    database.close(true);
    throw err;
  }
}

function findMadeAt(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function listNames(folder: string): string[] {
  return findMadeAt(folder) === null ? [] : readdirSync(folder);
}
