/** `hub migrate` on a data folder. Its tests on PostgreSQL are in test/oracles. */
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { runCli } from "../support/run-cli.ts";

setDefaultTimeout(180_000);

type Report = { database: string; applied: string[]; pending: string[]; newer: string[] };

/** On SQLite, also if the other tests use PostgreSQL. */
function run(folder: DataFolder, args: string[], env: Record<string, string> = {}) {
  const sqlite = { HUB_DATABASE_URL: "", HUB_ENC_KEY: "" };
  return runCli({ dataDir: folder.path, env: { ...sqlite, ...env } }, args);
}

/** Makes the database as an older version left it. */
function removeNewest(folder: DataFolder): string {
  using database = new Database(join(folder.path, "hub.sqlite"));
  const newest = database
    .query<{ name: string }, []>("select name from migrations order by name desc limit 1")
    .get();
  database.run("delete from migrations where name = ?", [newest?.name ?? ""]);
  return newest?.name ?? "";
}

test("hub migrate --check exits with 3 and creates nothing, hub migrate applies what is pending", async () => {
  await using folder = await createDataFolder();
  const checked = await run(folder, ["migrate", "--check", "--json"]);
  const { database, applied, pending } = checked.json<Report>();
  expect([checked.exitCode, database, applied]).toEqual([3, "SQLite", []]);
  expect(pending[0]).toBe("001-initial");
  expect(existsSync(join(folder.path, "hub.sqlite"))).toBeFalse();

  const migrated = await run(folder, ["migrate"]);
  expect([migrated.exitCode, migrated.stderr]).toEqual([0, ""]);
  const list = pending.map((name) => `  ${name}`).join("\n");
  expect(migrated.stdout).toBe(
    `SQLite, ${folder.path}\n\nApplied:\n${list}\n\nThe schema is up to date.\n`,
  );
  const again = await run(folder, ["migrate", "--json"]);
  expect(again.json<Report>()).toMatchObject({ applied: [], pending: [], newer: [] });
  expect((await run(folder, ["migrate", "--check"])).exitCode).toBe(0);
});

test("With HUB_MIGRATE=off, servers and commands refuse a database that lacks migrations", async () => {
  await using folder = await createDataFolder();
  await run(folder, ["migrate"]);
  const newest = removeNewest(folder);
  // By itself, a command does not upgrade either.
  const outdated = await run(folder, ["user", "list"]);
  expect([outdated.exitCode, outdated.stderr]).toEqual([
    1,
    `error: The database is of an older version of the hub: it lacks the migration ${newest}. Commands do not upgrade it. Start the server of this version once, or run: hub migrate\n`,
  ]);
  for (const args of [["serve"], ["user", "list"]]) {
    const refused = await run(folder, args, { HUB_MIGRATE: "off" });
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      `error: The database lacks migrations of this version (${newest}), and HUB_MIGRATE is off. Run: hub migrate\n`,
    ]);
  }
  expect((await run(folder, ["migrate", "--check"], { HUB_MIGRATE: "off" })).exitCode).toBe(3);
});

test("hub migrate names the migrations of the next version", async () => {
  await using folder = await createDataFolder();
  await run(folder, ["migrate"]);
  using database = new Database(join(folder.path, "hub.sqlite"));
  database.run(
    "insert into migrations (name, checksum, applied_at, level) select '999-later', 'x', 0, max(level) + 1 from migrations",
  );
  const migrated = await run(folder, ["migrate"]);
  expect(migrated.stdout).toContain("Of the next version, on which this one can run:\n  999-later");
  database.run("update migrations set level = level + 1 where name = '999-later'");
  const refused = await run(folder, ["migrate", "--json"]);
  expect([refused.exitCode, JSON.parse(refused.stderr).code]).toEqual([1, "bad_configuration"]);
});
