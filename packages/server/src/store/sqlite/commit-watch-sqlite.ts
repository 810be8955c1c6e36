import type { Database } from "bun:sqlite";
import { isBusy } from "./sqlite-errors.ts";

/**
 * Tells whether something other than an audit write may have been committed. Every call commits
 * audit rows, so `pragma data_version` of another connection would change with every call.
 */
export type CommitWatch = {
  /** The writing connection may have committed a change, other than an audit write. */
  recordCommit(): void;
  /**
   * A number that differs from every earlier one after such a commit, by any process. Null if it
   * cannot be told. Read once in a turn of the event loop: every request of the turn was on its way
   * when the turn began, so what is committed later in the turn is committed during the request.
   */
  readStamp(): number | null;
};

/**
 * `database` is the connection through which this process writes. Its data version changes only with
 * commits of other connections. Audit writes go through it without `recordCommit`.
 */
export function createCommitWatch(database: Database): CommitWatch {
  const dataVersion = database.prepare<{ data_version: number }, []>("pragma data_version");
  let version = -1;
  let stamp = 0;
  let stampOfTurn: number | null = null;
  let isTurnEnding = false;

  function readVersion(): number | null {
    try {
      return dataVersion.get()?.data_version ?? null;
    } catch (err) {
      // Another process recovers the log after a crash. This connection does not wait for it.
      if (isBusy(err)) return null;
      throw err;
    }
  }

  function read(): number | null {
    // Inside a transaction the connection does not see the commits of others.
    if (database.inTransaction) return null;
    const present = readVersion();
    if (present === null) return null;
    if (present !== version) stamp += 1;
    version = present;
    return stamp;
  }

  function endWithTurn(): void {
    if (isTurnEnding) return;
    isTurnEnding = true;
    setImmediate(() => {
      isTurnEnding = false;
      stampOfTurn = null;
    });
  }

  return {
    recordCommit() {
      stamp += 1;
      stampOfTurn = null;
    },
    readStamp() {
      stampOfTurn ??= read();
      endWithTurn();
      return stampOfTurn;
    },
  };
}
