import { Database } from "bun:sqlite";
import {
  sql as clockText,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { type Connection, connectionKey } from "../database/connection.ts";
import type { Db } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { migrate } from "../migrate.ts";

/** SQLite's query plan for `query`. */
export async function readPlan(query: (db: Db) => Promise<unknown>): Promise<string[]> {
  using database = new Database();
  await migrate(database);
  const asked: string[] = [];
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (introspected) => new SqliteIntrospector(introspected),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: (event) => {
      asked.push(event.query.sql);
    },
  });
  // The dummy driver returns nothing, and some callers need an answer.
  const connection: Connection = {
    kysely,
    isTransaction: false,
    clock: clockText<number>`0`,
    isConflict: () => false,
    begin: (change) => kysely.transaction().execute(change),
    beginExclusive: (_keys, change) => kysely.transaction().execute(change),
    plan: async (change) => ({ result: await change(kysely), statements: [] }),
    runAll: async () => {},
  };
  await query({ [connectionKey]: connection }).catch(() => {});
  return asked.flatMap((sql) =>
    database
      .query<{ detail: string }, []>(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => detail),
  );
}
