import { connectionKey } from "../connection.ts";
import type { Db } from "../database.ts";

class Conflict extends Error {}

/**
 * The same database, where every transaction conflicts once, after its changes and before its
 * commit. So each of them runs twice.
 */
export function conflictOnce(db: Db): Db {
  const connection = db[connectionKey];
  /** A transaction begins with the same function each time. */
  const conflicted = new WeakSet<object>();
  return {
    [connectionKey]: {
      ...connection,
      isConflict: (failure) => failure instanceof Conflict,
      begin: (change, isRetry) => connection.begin(toConflicting(conflicted, change), isRetry),
      beginExclusive: (keys, change) =>
        connection.beginExclusive(keys, toConflicting(conflicted, change)),
    },
  };
}

function toConflicting<Given, T>(
  conflicted: WeakSet<object>,
  change: (given: Given) => Promise<T>,
): (given: Given) => Promise<T> {
  return async (given) => {
    const result = await change(given);
    if (conflicted.has(change)) return result;
    conflicted.add(change);
    throw new Conflict("a conflict for the test");
  };
}
