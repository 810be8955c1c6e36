import type { Db } from "../database.ts";
import { connectionKey } from "../kysely.ts";

class Conflict extends Error {}

/**
 * The same database, where every transaction conflicts once, after its changes and before its
 * commit. So each of them runs twice. Two transactions at a time are not supported.
 */
export function conflictOnce(db: Db): Db {
  const connection = db[connectionKey];
  let begun = 0;
  return {
    [connectionKey]: {
      ...connection,
      isConflict: (failure) => failure instanceof Conflict,
      begin: (change) => {
        begun += 1;
        const isFirst = begun % 2 === 1;
        return connection.begin(async (kysely) => {
          const result = await change(kysely).catch((failure) => {
            // It will not run again.
            begun += isFirst ? 1 : 0;
            throw failure;
          });
          if (isFirst) throw new Conflict("a conflict for the test");
          return result;
        });
      },
    },
  };
}
