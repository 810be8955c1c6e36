import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";

/** SQLite gives its side files the mode of the database, so the mode must be right at creation. */
export function createPrivateFile(path: string): void {
  try {
    // An existing file is not opened: closing any descriptor drops this process's locks on the
    // file.
    closeSync(openSync(path, "wx", 0o600));
  } catch (err) {
    if (!(err instanceof Error && "code" in err && err.code === "EEXIST")) throw err;
  }
}

/**
 * Locks an existing file through SQLite, until the result is closed or the process ends in any way.
 * Throws at once if another process holds the lock.
 */
export function lockFile(path: string): Database {
  const database = new Database(path, { readwrite: true });
  try {
    database.run("pragma busy_timeout = 0");
    // Nothing is written to it, and a journal would be another file to clean up.
    database.run("pragma journal_mode = memory");
    database.run("begin exclusive");
    return database;
  } catch (err) {
    database.close(true);
    throw err;
  }
}
