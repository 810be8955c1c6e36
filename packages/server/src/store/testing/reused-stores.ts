import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databasePath } from "../sqlite/sqlite-connections.ts";
import type { Store } from "../store.ts";
import { openTestStore } from "./open-test-store.ts";
import { runSql } from "./run-sql.ts";
import { findTestPostgres } from "./test-postgres.ts";

/** A store on SQLite that one test uses at a time, and what empties its database between tests. */
type ReusedStore = {
  dataDir: string;
  store: Store;
  /** More stores on its folder. */
  others: Store[];
  /** Makes all tables as they were. Null if it cannot. */
  empty: (() => void) | null;
  remove(): Promise<void>;
};

/** The revision is counted on, so that no cache of the store takes a later state for an earlier one. */
const keptTables = ["migrations", "revision"];

/**
 * Stores for tests that take one each, one after another, with more stores on its folder. To empty a database takes a tenth of the
 * processor time of opening one. A store whose test closed it is not used again, nor is one on PostgreSQL.
 */
export function createReusedStores() {
  let idle: ReusedStore | null = null;

  return {
    async take() {
      const taken = idle ?? (await open());
      idle = null;
      const spare = [...taken.others];
      return {
        dataDir: taken.dataDir,
        store: taken.store,
        async openAnother(): Promise<Store> {
          const kept = spare.pop();
          if (kept !== undefined) return kept;
          const other = await openTestStore({ dataDir: taken.dataDir });
          taken.others.push(other);
          return other;
        },
        async giveBack(): Promise<void> {
          const all = [taken.store, ...taken.others];
          const open = await Promise.all(all.map(isOpen));
          if (taken.empty === null || open.includes(false)) return await taken.remove();
          taken.empty();
          idle = taken;
        },
      };
    },
    async close(): Promise<void> {
      await idle?.remove();
      idle = null;
    },
  };
}

const isOpen = (store: Store): Promise<boolean> =>
  runSql(store.db, "select 1").then(
    () => true,
    () => false,
  );

async function open(): Promise<ReusedStore> {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-store-"));
  const store = await openTestStore({ dataDir });
  const others: Store[] = [];
  const closeAll = async () => {
    for (const each of [store, ...others]) await each.close();
    await rm(dataDir, { recursive: true });
  };
  if (findTestPostgres() !== null) {
    return { dataDir, store, others, empty: null, remove: closeAll };
  }
  const database = new Database(databasePath(dataDir), { readwrite: true });
  const tables = database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    .all()
    .filter(({ name }) => !keptTables.includes(name))
    .map(({ name }) => {
      const rows = database.query<Record<string, never>, []>(`select * from ${name}`).values();
      const marks = rows[0]?.map(() => "?").join(", ");
      return {
        rows,
        isUsed: database.query(`select 1 from ${name} limit 1`),
        clear: database.query(`delete from ${name}`),
        insert:
          marks === undefined ? null : database.query(`insert into ${name} values (${marks})`),
      };
    });
  database.run("pragma foreign_keys = off");
  database.run("pragma busy_timeout = 5000");
  const empty = database.transaction(() => {
    for (const { rows, isUsed, clear, insert } of tables) {
      if (isUsed.get() !== null) clear.run();
      for (const row of rows) insert?.run(...row);
    }
    database.run("update revision set value = value + 1");
  });
  return {
    dataDir,
    store,
    others,
    empty: () => empty.immediate(),
    async remove() {
      database.close(true);
      await closeAll();
    },
  };
}
