import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBuildName } from "../lib/process/build-info.ts";
import { migrate, migrations } from "./migrate.ts";
import type { Migration } from "./migration.ts";

const first: Migration = { name: "001-first", sql: "create table a (x);\ncreate table b (x);\n" };
const second: Migration = { name: "002-second", sql: "insert into a values (1);" };

function countRows(database: Database, table: string): number {
  return database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1;
}

test("Missing migrations are applied in order, and none twice", async () => {
  using database = new Database();
  expect(await migrate(database, [first])).toEqual(["001-first"]);
  expect(await migrate(database, [first, second])).toEqual(["002-second"]);
  expect(await migrate(database, [first, second])).toEqual([]);
  expect(countRows(database, "a")).toBe(1);
});

test("Concurrent migrations run one at a time and wait for a current writer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-migrate-"));
  const path = join(folder, "hub.sqlite");
  try {
    using writer = new Database(path);
    writer.run("pragma journal_mode = wal");
    using one = new Database(path);
    using two = new Database(path);
    writer.run("begin immediate");
    const both = Promise.all([one, two].map((database) => migrate(database, [first, second])));
    await new Promise((resolve) => setImmediate(resolve));
    writer.run("commit");
    // The one that came second found nothing to do.
    expect((await both).toSorted((a, b) => b.length - a.length)).toEqual([
      ["001-first", "002-second"],
      [],
    ]);
    expect(countRows(one, "a")).toBe(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("A failed migration is rolled back with those before it", async () => {
  using database = new Database();
  const broken = { name: "003-broken", sql: "create table c (x); insert into nowhere values (1);" };
  await migrate(database, [first]);
  await expect(migrate(database, [first, second, broken])).rejects.toThrow("nowhere");
  expect(countRows(database, "migrations")).toBe(1);
  expect(countRows(database, "a")).toBe(0);
  expect(() => countRows(database, "c")).toThrow("no such table");
  expect(await migrate(database, [first, second])).toEqual(["002-second"]);
});

const nextLevel: Migration = { name: "003-next", sql: "-- level: 2\ncreate table c (x);" };
const afterNext: Migration = { name: "004-after", sql: "-- level: 3\ncreate table d (x);" };

test("A program runs on the schema of the next version, and says so in the log", async () => {
  using database = new Database();
  await migrate(database, [first, second, nextLevel]);
  const logged: object[] = [];
  const log = { info: (fields: object) => logged.push(fields), warn: () => {} };
  expect(await migrate(database, [first, second], { log })).toEqual([]);
  expect(logged).toEqual([
    { newer: ["003-next"], by: expect.stringMatching(/^version .+, commit /) },
  ]);
  // Within one level, too.
  expect(await migrate(database, [first])).toEqual([]);
});

test("A database that is more than one version newer is refused and not changed", async () => {
  using database = new Database();
  await migrate(database, [first, second, nextLevel, afterNext]);
  await expect(migrate(database, [first, second])).rejects.toMatchObject({
    code: "bad_configuration",
    message: expect.stringContaining(
      "newer than this hub (it has the migration 004-after of version ",
    ),
  });
  expect(await migrate(database, [first, second, nextLevel])).toEqual([]);
});

test("A database with migrations of another build is refused", async () => {
  using database = new Database();
  const other = { name: "001-other", sql: "create table o (x);" };
  await migrate(database, [other]);
  const refused = { code: "bad_configuration", message: expect.stringContaining("001-other") };
  // It lacks a migration, although it has an unknown one.
  await expect(migrate(database, [first])).rejects.toMatchObject(refused);
  using between = new Database();
  await migrate(between, [first, { ...other, name: "001-other-too" }, second]);
  await expect(migrate(between, [first, second])).rejects.toThrow("001-other-too");
});

test("Each migration records the build that applied it, also in a database that is older than this record", async () => {
  using database = new Database();
  await migrate(database, [first]);
  database.run("alter table migrations drop column hub_version");
  database.run("alter table migrations drop column hub_commit");
  await migrate(database, [first, second]);
  const builds = database.query("select hub_version, hub_commit from migrations order by name");
  const { hub_version, server_commit } = await readBuildName();
  expect(builds.all()).toEqual([
    { hub_version: null, hub_commit: null },
    { hub_version, hub_commit: server_commit },
  ]);
  database.run(
    "update migrations set checksum = 'x', hub_version = '0.3.0' where name = '002-second'",
  );
  await expect(migrate(database, [first, second])).rejects.toThrow(
    "made by another build of the hub (version 0.3.0, commit ",
  );
});

test("Only a migration of an existing hub is preceded by a copy, which nothing is applied without", async () => {
  using database = new Database();
  const asked: boolean[] = [];
  const beforeUpgrade = async (isPending: () => boolean) => {
    asked.push(isPending());
    return { [Symbol.dispose]: () => void asked.push(isPending()) };
  };
  await migrate(database, [first], { beforeUpgrade });
  expect(asked).toEqual([]);
  const fails = async () => {
    throw new Error("no space");
  };
  const failed = migrate(database, [first, second], { beforeUpgrade: fails });
  await expect(failed).rejects.toThrow("no space");
  expect(countRows(database, "a")).toBe(0);
  await migrate(database, [first, second], { beforeUpgrade });
  // What holds the others back ends after the migration.
  expect(asked).toEqual([true, false]);
});

test("A database without levels gets them with its next migration", async () => {
  using database = new Database();
  await migrate(database, [first]);
  database.run("alter table migrations drop column level");
  expect(await migrate(database, [first])).toEqual([]);
  expect(await migrate(database, [first, second, nextLevel])).toEqual(["002-second", "003-next"]);
  const levels = database.query("select level from migrations order by name");
  expect(levels.all()).toEqual([{ level: 1 }, { level: 1 }, { level: 2 }]);
});

test("A program that may not migrate refuses a database that lacks migrations", async () => {
  using database = new Database();
  await migrate(database, [first], { isAllowed: true });
  const refused = migrate(database, [first, second], { isAllowed: false });
  await expect(refused).rejects.toThrow("lacks migrations of this version (002-second)");
  expect(await migrate(database, [first], { isAllowed: false })).toEqual([]);
});

test("A migration does not wait without a limit, and the log shows the wait", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-migrate-"));
  try {
    using writer = new Database(join(folder, "hub.sqlite"));
    writer.run("pragma journal_mode = wal");
    writer.run("begin immediate");
    using waiting = new Database(join(folder, "hub.sqlite"));
    const logged: string[] = [];
    const log = { info: () => {}, warn: (_: object, message: string) => logged.push(message) };
    const refused = migrate(waiting, [first], { waitMsMax: 20, log });
    await expect(refused).rejects.toMatchObject({
      code: "conflict",
      localMessage: expect.stringContaining("another process writes to the SQLite database"),
    });
    expect(logged).toEqual(["The hub waits at most 20 ms to migrate its database"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("A changed migration is refused, unless only its line ends differ", async () => {
  using database = new Database();
  await migrate(database, [first]);
  const checkedOutOnWindows = { ...first, sql: first.sql.replaceAll("\n", "\r\n") };
  expect(await migrate(database, [checkedOutOnWindows])).toEqual([]);
  await expect(migrate(database, [{ ...first, sql: "create table z (x);" }])).rejects.toMatchObject(
    {
      code: "bad_configuration",
      message: expect.stringContaining("its migration 001-first differs"),
    },
  );
});

test("The migrations of the hub have names in order", () => {
  const names = migrations.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(new Set(names).size).toBe(names.length);
});

test("Tokens that are older than scopes keep access to the management API, in any number", async () => {
  using database = new Database();
  await migrate(database, migrations.slice(0, 6));
  database.run(
    "insert into users (id, email, name, role, status, created_at, updated_at) values ('u', 'ada@example.com', 'Ada', 'user', 'active', 0, 0)",
  );
  const insert = database.query(
    "insert into personal_access_tokens (id, user_id, name, token_hash, last_four, created_at) values (?, 'u', 'old', ?, 'abcd', 0)",
  );
  for (let count = 0; count < 60; count += 1) insert.run(`t${count}`, Buffer.from(`hash ${count}`));
  await migrate(database, migrations);
  const scopes = database.query(
    "select scope, count(*) as n from personal_access_tokens group by 1",
  );
  expect(scopes.all()).toEqual([{ scope: "manage", n: 60 }]);
});

test("The ids of present rows, and of deleted ones that changes and calls tell of, keep their beginnings", async () => {
  using database = new Database();
  const before = migrations.findIndex(({ name }) => name === "038-row-beginnings");
  await migrate(database, migrations.slice(0, before));
  const toId = (beginning: number, end = 0) =>
    `${beginning}0000000-0000-4000-8000-00000000000${end}`;
  const addRow = database.query(
    "insert into connector_rows (id, connector_key, label, description, disabled, version, created_at, updated_at) values (?, 'http', 'Shop', '', 0, 1, 0, 0)",
  );
  const addChange = database.query(
    "insert into changes (id, changed_at, actor_id, actor, via, action, target_kind, target_id, target, detail) values (?, 0, 'u', 'u', 'cli', 'row.delete', ?, ?, 'Shop', '{}')",
  );
  const addRun = database.query(
    "insert into connector_runs (id, connector_id, operation_key, user_id, source, status, request_cut, instance_id, started_at) values (?, ?, 'get', 'u', 'mcp', 'success', 0, 'i', 0)",
  );
  for (const id of [toId(1, 1), toId(1, 2), toId(2)]) addRow.run(id);
  const changed = [toId(2, 9), toId(3, 1), toId(3, 2)];
  for (const [at, id] of changed.entries()) addChange.run(`c${at}`, "row", id);
  addChange.run("other", "user", toId(9));
  const called = [toId(1, 9), toId(4, 1), toId(4, 2), toId(5), toId(5), null];
  for (const [at, id] of called.entries()) addRun.run(`r${at}`, id);
  await migrate(database, migrations);
  const kept = database.query("select beginning, row_id from row_beginnings order by 1").all();
  const rowIds = [toId(1, 1), toId(2), toId(3, 1), toId(4, 1), toId(5)];
  expect(kept).toEqual(rowIds.map((id) => ({ beginning: id.slice(0, 8), row_id: id })));
});
