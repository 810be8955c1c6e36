import { connectionKey } from "../database/connection.ts";
import type { Db } from "../database/database.ts";

/** The same database, and a list of the statements that are run on it, as JSON. */
export function listenTo(db: Db): { db: Db; read: string[] } {
  const read: string[] = [];
  const connection = db[connectionKey];
  const kysely = connection.kysely.withPlugin({
    transformQuery: ({ node }) => {
      read.push(JSON.stringify(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: { [connectionKey]: { ...connection, kysely } }, read };
}
