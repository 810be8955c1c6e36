import { connectionKey } from "../database/connection.ts";
import type { Db } from "../database/database.ts";

class Conflict extends Error {}

/**
 * The same database, where every transaction conflicts once, after its changes and before its
 * commit. So each of them runs twice. Only the first `transactionsMax` do so, if it is given.
 */
export function conflictOnce(db: Db, transactionsMax = Infinity): Db {
  const connection = db[connectionKey];
  /** A transaction begins with the same function each time. */
  const conflicted = new WeakSet<object>();
  let left = transactionsMax;
  const mayConflict = (change: object) => {
    if (left === 0 || conflicted.has(change)) return false;
    left -= 1;
    conflicted.add(change);
    return true;
  };
  return {
    [connectionKey]: {
      ...connection,
      isConflict: (failure) => failure instanceof Conflict,
      begin: (change, isRetry) => connection.begin(toConflicting(mayConflict, change), isRetry),
      beginExclusive: (keys, change) =>
        connection.beginExclusive(keys, toConflicting(mayConflict, change)),
    },
  };
}

function toConflicting<Context, T>(
  mayConflict: (change: object) => boolean,
  change: (given: Context) => Promise<T>,
): (given: Context) => Promise<T> {
  return async (given) => {
    const result = await change(given);
    if (!mayConflict(change)) return result;
    throw new Conflict("a conflict for the test");
  };
}
