/** The databases of older versions, made by their own programs, are copied and upgraded. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { chmod, mkdir, mkdtemp, open, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../config.ts";
import { createLog } from "../../lib/logs/create-log.ts";
import { migrate, migrations, readApplied, readSchema } from "../../store/migrate.ts";
import { compareSchema, type Migration, toLevels } from "../../store/migration.ts";
import { layOlderDatabase, olderKey, olderVersions } from "../../store/testing/older-databases.ts";
import { createUpgradeCopy } from "./copy-before-upgrade.ts";
import { openConfiguredStore } from "./open-database.ts";
import { restoreBackup } from "./restore-backup.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-upgrade-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

function configure(env: Record<string, string> = {}, folder = dataDir) {
  const given = { HUB_DATA_DIR: folder, HUB_ENC_KEY: olderKey, HUB_DISK_FREE_BYTES_MIN: "0" };
  return loadConfig({ env: { ...given, ...env }, cwd: folder }).config;
}

const log = createLog("silent");
const openStore = (env: Record<string, string> = {}, mayMakeHub = true) =>
  openConfiguredStore({ config: configure(env), log, isPatient: false, mayMakeHub });
const listCopies = () => readdir(join(dataDir, "upgrade-copies")).catch(() => []);

function readLevel(folder = dataDir): number {
  using database = new Database(join(folder, "hub.sqlite"), { readonly: true });
  return readApplied(database).length;
}

test.each(
  olderVersions,
)("The database of %s is copied before its upgrade, and the copy is whole", async (version, count) => {
  await layOlderDatabase(dataDir, version);
  await expect(openStore({}, false)).rejects.toMatchObject({
    code: "bad_configuration",
    message: expect.stringContaining("Start the server of this version once, or run: hub migrate"),
  });
  expect([readLevel(), await listCopies()]).toEqual([count, []]);
  await (await openStore()).close();
  expect(readLevel()).toBe(migrations.length);
  const [copy = "", ...others] = await listCopies();
  expect(others).toEqual([]);
  expect(copy).toMatch(/^before-\d+\.\d+\.\d+-\d{8}T\d{6}Z\.tar\.gz$/);

  const restored = await mkdtemp(join(tmpdir(), "hub-upgrade-"));
  try {
    const file = join(dataDir, "upgrade-copies", copy);
    const readPassphrase = () => Promise.reject(new Error("The copy has no keys."));
    const options = { file, cwd: dataDir, withoutKeys: false, readPassphrase };
    const report = await restoreBackup({ config: configure({}, restored), ...options });
    expect(report.pending).toEqual(migrations.slice(count).map(({ name }) => name));
    expect(report.counts).toMatchObject({ users: 3, tokens: 3 });
    expect(readLevel(restored)).toBe(count);
  } finally {
    await rm(restored, { recursive: true });
  }
});

test.each(
  olderVersions,
)("%s knows the level of the upgraded database, and a version after the next is refused with its name", async (version, count) => {
  await layOlderDatabase(dataDir, version);
  using database = new Database(join(dataDir, "hub.sqlite"));
  await migrate(database);
  const older = migrations.slice(0, count);
  const found = compareSchema(readApplied(database), older);
  expect(found).toMatchObject({
    missing: [],
    newer: migrations.slice(count).map(({ name }) => name),
  });
  expect(found.newerBuild).toMatch(/^version \d+\.\d+\.\d+, commit (?:[0-9a-f]{7}|unknown)$/);
  const own = Math.max(...toLevels(migrations).values());
  const toLater = (name: string, level: number): Migration => ({
    name,
    sql: `-- level: ${level}\ncreate table later_${level} (x text) strict`,
  });
  const next = toLater("998-next", own + 1);
  const after = toLater("999-after", own + 2);
  await migrate(database, [...migrations, next]);
  expect(readSchema(database, migrations).newer).toEqual(["998-next"]);
  await migrate(database, [...migrations, next, after]);
  database.run(
    "update migrations set hub_version = '0.4.0', hub_commit = '1a2b3c4' where name = '999-after'",
  );
  expect(() => readSchema(database, migrations)).toThrow(
    "more than one version newer than this hub (it has the migration 999-after of version 0.4.0, commit 1a2b3c4). Start that build or a newer version,",
  );
});

test("The last two copies are kept, and files of other names", async () => {
  await layOlderDatabase(dataDir, "8eb9bf3");
  const old = ["0.0.9-20250102T000000Z", "0.1.0-20250101T000000Z"];
  const names = [...old.map((name) => `before-${name}.tar.gz`), "before-mine.tar.gz"];
  for (const name of names) await Bun.write(join(dataDir, "upgrade-copies", name), "a copy");
  await (await openStore()).close();
  const copies = await listCopies();
  expect(copies).toHaveLength(3);
  expect(copies).toEqual(
    expect.arrayContaining(["before-0.0.9-20250102T000000Z.tar.gz", "before-mine.tar.gz"]),
  );
});

test("Processes that start together make one copy", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const stores = await Promise.all([openStore(), openStore(), openStore()]);
  for (const store of stores) await store.close();
  expect([readLevel(), (await listCopies()).length]).toEqual([migrations.length, 1]);
});

test("A database that is up to date, a new one, and HUB_UPGRADE_BACKUP=off make no copy", async () => {
  await (await openStore()).close();
  await (await openStore()).close();
  expect(await listCopies()).toEqual([]);
  await layOlderDatabase(dataDir, "9469af8");
  await (await openStore({ HUB_UPGRADE_BACKUP: "off" })).close();
  expect([readLevel(), await listCopies()]).toEqual([migrations.length, []]);
});

test.each([
  "on",
  "off",
])("A damaged database is not upgraded, with HUB_UPGRADE_BACKUP=%s", async (HUB_UPGRADE_BACKUP) => {
  await layOlderDatabase(dataDir, "8eb9bf3");
  const file = await open(join(dataDir, "hub.sqlite"), "r+");
  const { size } = await file.stat();
  await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, Math.floor(size / 8192) * 4096);
  await file.close();
  await expect(openStore({ HUB_UPGRADE_BACKUP })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("is damaged, so it was not upgraded"),
  });
  expect([readLevel(), await listCopies()]).toEqual([27, []]);
});

test("Without space for a copy, the log says how much is missing; with required, nothing is upgraded", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const noSpace = { HUB_DISK_FREE_BYTES_MIN: "1000000000000" };
  const refused = openStore({ ...noSpace, HUB_UPGRADE_BACKUP: "required" });
  await expect(refused).rejects.toMatchObject({
    code: "insufficient_storage",
    message: expect.stringMatching(/lacks \d+ MiB for a copy .* HUB_UPGRADE_BACKUP=off/),
  });
  expect(readLevel()).toBe(6);
  const lines: unknown[] = [];
  const recorded = { info: () => {}, warn: (fields: object) => lines.push(fields) };
  const keep = createUpgradeCopy({ config: configure(noSpace), log: recorded });
  (await keep(() => true))[Symbol.dispose]();
  expect(lines).toEqual([{ reason: expect.stringMatching(/lacks \d+ MiB for a copy/) }]);
  await (await openStore(noSpace)).close();
  expect([readLevel(), await listCopies()]).toEqual([migrations.length, []]);
});

const isRoot = process.getuid?.() === 0;

test.skipIf(isRoot)(
  `A copy that cannot be written stops the upgrade${isRoot ? " (skipped: root may write anywhere)" : ""}`,
  async () => {
    await layOlderDatabase(dataDir, "9469af8");
    await Bun.write(join(dataDir, "upgrade-copies", "x"), "");
    await chmod(join(dataDir, "upgrade-copies"), 0o500);
    await expect(openStore()).rejects.toMatchObject({ code: "unavailable" });
    expect(readLevel()).toBe(6);
  },
);

test("What killed processes left of their copies is removed, and files of other names stay", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const left = "before-0.2.0-20260102T030405Z.tar.gz.0123abcd";
  const leftovers = [`${left}.database.tmp`, `${left}.database.tmp-journal`, `${left}.tmp`];
  const others = ["before-mine.tar.gz.0123abcd.tmp", "notes.tmp"];
  for (const name of [...leftovers, ...others]) {
    await Bun.write(join(dataDir, "upgrade-copies", name), "a part");
  }
  await (await openStore()).close();
  const copies = await listCopies();
  expect(copies.filter((name) => name.endsWith(".gz"))).toHaveLength(1);
  expect(copies.filter((name) => !name.endsWith(".gz")).sort()).toEqual(others);
});

test("After the clock went back, the new copy stays", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const later = ["before-0.2.0-20990101T000000Z.tar.gz", "before-0.2.0-20990102T000000Z.tar.gz"];
  for (const name of later) await Bun.write(join(dataDir, "upgrade-copies", name), "a copy");
  await (await openStore()).close();
  const copies = await listCopies();
  expect(copies).toHaveLength(2);
  expect(copies).toContain("before-0.2.0-20990102T000000Z.tar.gz");
  expect(copies).not.toContain("before-0.2.0-20990101T000000Z.tar.gz");
});

test("A second copy within a second gets the next free name", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const keep = createUpgradeCopy({ config: configure(), log });
  setSystemTime(new Date("2026-11-28T09:30:00Z"));
  try {
    (await keep(() => true))[Symbol.dispose]();
    (await keep(() => true))[Symbol.dispose]();
  } finally {
    setSystemTime();
  }
  const times = (await listCopies()).map((name) => /(\d{8}T\d{6}Z)/.exec(name)?.[1]);
  expect(times.sort()).toEqual(["20261128T093000Z", "20261128T093001Z"]);
});

test.each([
  ["a file", (path: string) => Bun.write(path, "")],
  ["a link to nothing", (path: string) => symlink("/nonexistent/copies", path)],
])("Where the copies' folder is %s, nothing is upgraded, and the error says what to do", async (_kind, lay) => {
  await layOlderDatabase(dataDir, "9469af8");
  await lay(join(dataDir, "upgrade-copies"));
  await expect(openStore()).rejects.toMatchObject({
    code: "unavailable",
    localMessage: expect.stringMatching(/not upgraded.*upgrade-copies.*HUB_UPGRADE_BACKUP=off/),
  });
  expect(readLevel()).toBe(6);
});

test("A link to a folder is followed", async () => {
  await layOlderDatabase(dataDir, "9469af8");
  const target = join(dataDir, "elsewhere");
  await mkdir(target);
  await symlink(target, join(dataDir, "upgrade-copies"));
  await (await openStore()).close();
  expect(await readdir(target)).toHaveLength(1);
});
