/** The contract of the store, on PostgreSQL. The same suite runs over SQLite in `store.test.ts`. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { migrations } from "../../packages/server/src/store/migrate.ts";
import { postgresMigrations } from "../../packages/server/src/store/postgres/migrate-postgres.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import { describeStore } from "../../packages/server/src/store/store.testsuite.ts";
import { type PostgresServer, startPostgres } from "./support/postgres-server.ts";
import { describePostgresTables, describeSqliteTables } from "./support/tables.ts";

let server: PostgresServer;
let migratedUrl: string;

beforeAll(async () => {
  server = await startPostgres();
  migratedUrl = await server.createDatabase();
  const store = await openPostgresStore({ url: migratedUrl });
  await store.close();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describeStore("PostgreSQL", async () => {
  const resources = new AsyncDisposableStack();
  const url = await server.createDatabase(migratedUrl);
  resources.defer(() => server.dropDatabase(url));
  const openAnother = async () => {
    const store = await openPostgresStore({ url });
    resources.defer(() => store.close());
    return store;
  };
  return {
    store: await openAnother(),
    openAnother,
    makeConflict: () => makeConflict(url),
    remove: () => resources.disposeAsync(),
  };
});

/** Two transactions that read what the other one writes. */
async function makeConflict(url: string): Promise<unknown> {
  await using pool = new SQL({ url, max: 2 });
  const [one, two] = [await pool.reserve(), await pool.reserve()];
  try {
    for (const each of [one, two]) {
      await each.unsafe("begin isolation level serializable");
      await each.unsafe("select value from revision");
    }
    await one.unsafe("update revision set value = value + 1");
    await one.unsafe("commit");
    await two.unsafe("update revision set value = value + 1");
  } catch (failure) {
    return failure;
  } finally {
    await two.unsafe("rollback");
    one.release();
    two.release();
  }
  throw new Error("The two transactions did not conflict.");
}

test("Both databases have the same migrations, tables, columns, keys and indexes", async () => {
  expect(postgresMigrations.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  using sqlite = new Database(":memory:");
  for (const { sql } of migrations) sqlite.run(sql);
  await using pool = new SQL({ url: migratedUrl, max: 1 });
  const { migrations: _own, ...tables } = await describePostgresTables(pool);
  expect(tables).toEqual(describeSqliteTables(sqlite));
});
