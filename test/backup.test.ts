/** `hub backup` and `hub restore`, with a hub that runs and clients that call meanwhile. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { basename, join } from "node:path";
import { backupReportSchema, restoreReportSchema } from "@hub/contract/backup.ts";
import { doctorReportSchema } from "@hub/contract/doctor.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { createKeyFile } from "@hub/server/store/data-folder/key-file.ts";
import { startCallLoad } from "./support/call-load.ts";
import { type CommandProcess, startCommandProcess } from "./support/command-process.ts";
import { toProgramCommand } from "./support/compile-programs.ts";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { createDataFolder, type DataFolder } from "./support/data-folder.ts";
import { createRandom } from "./support/random.ts";
import { hubMain, runCli, toHubEnv } from "./support/run-cli.ts";
import { cheapPasswords, type RunningHub, startHub } from "./support/start-hub.ts";
import { describeOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const passphrase = "correct horse battery";

describeOnSqlite("databaseFile", "Backups", () => {
  const owned = new AsyncDisposableStack();
  let api: ReturnType<typeof serveApi>;
  let hub: RunningHub;
  let files: DataFolder;
  let commands: CommandProcess;
  let token: string;
  let row: string;
  /** A backup with keys, which only commands with cheap passphrases can open. */
  let whole: string;

  beforeAll(async () => {
    api = serveApi();
    owned.defer(() => api.stop());
    files = owned.use(await createDataFolder());
    hub = owned.use(await startHub());
    commands = owned.use(startCommandProcess({ dataDir: hub.dataDir, env: cheapPasswords }));
    token = hub.adminToken();
    const added = await hub.tryCli(
      [
        ...["row", "add", "http", "--label", "Shop", "--set", `base_url=${api.url}`],
        ...["--set", "auth_mode=bearer", "--secret-stdin", "token", "--json"],
      ],
      { stdin: "s3cret-of-the-row-9fK2xQ7vLm4R" },
    );
    row = added.json<{ id: string }>().id;
    whole = join(files.path, "whole.tar.gz");
    expect((await backUp(whole)).exitCode).toBe(0);
  });
  afterAll(() => owned.disposeAsync());

  type RunOptions = { stdin?: string; env?: Record<string, string> };
  /** Runs a command on this folder, in the process that the tests share. */
  const run = (dataDir: string, argv: string[], { stdin = passphrase, env }: RunOptions = {}) =>
    commands.run({ argv, stdin, cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } });

  const backUp = (file: string, args = ["--keys"], dataDir = hub.dataDir) =>
    run(dataDir, ["backup", file, "--json", ...args]);

  const restore = (
    file: string,
    dataDir: string,
    { args = [], ...options }: RunOptions & { args?: string[] } = {},
  ) => run(dataDir, ["restore", file, "--json", ...args], options);

  /** The same as a program of its own. */
  const restoreAlone = (file: string, dataDir: string, env: Record<string, string> = {}) =>
    runCli({ dataDir, stdin: passphrase, env }, ["restore", file, "--json"]);

  const readRows = async (dataDir: string) => (await run(dataDir, ["row", "list"])).stdout;

  const listSuccesses = async (of: Pick<RunningHub, "cli">) => {
    const listed = await of.cli("runs", "--json", "--limit", "1000", "--status", "success");
    return listed.json<Array<{ id: string }>>().map(({ id }) => id);
  };

  const canMount = process.platform === "linux" && process.getuid?.() === 0;
  const skipReason = canMount ? "" : " (skipped: only root can mount a small disk, and on Linux)";

  const listDatabases = async (folder: string) =>
    (await readdir(folder)).filter((name) => name.includes("sqlite"));

  test("A backup under load has every call that was answered before it, and the restored hub works", async () => {
    await using client = await connectHttp(hub.url, token);
    const get = (params: object) => client.execute(`conn:${row}/get`, { path: "/", ...params });
    // A value token that a client holds: it must open after the restore too.
    const [valueToken] = /hub_enc_[\w-]+/.exec((await get({})).text) ?? [""];
    expect(valueToken).not.toBe("");
    const load = startCallLoad(
      () => "load",
      () => get({}),
    );
    await load.goesOn(20);
    const answered = load.calls.length;
    const before = await listSuccesses(hub);
    const file = join(files.path, "load.tar.gz");
    const command = ["backup", file, "--json", "--keys"];
    const taken = await runCli({ dataDir: hub.dataDir, stdin: passphrase }, command);
    const report = backupReportSchema.strict().parse(taken.json());
    await load.goesOn(5);
    await load.stop();
    expect(load.calls.every(({ outcome }) => outcome === "success")).toBe(true);
    expect(report.counts.runs).toBeGreaterThanOrEqual(answered);
    expect(report.counts).toMatchObject({ users: 1, tokens: 1, rows: 3 });

    await using folder = await createDataFolder();
    const result = (await restoreAlone(file, folder.path)).json();
    const restored = restoreReportSchema.strict().parse(result);
    expect(restored).toMatchObject({ counts: report.counts, keys: "backup", pending: [] });
    await using other = await startHub({ isHere: true, dataDir: folder.path });
    await using again = await connectHttp(other.url, token);
    api.seen.length = 0;
    const query = { value: valueToken };
    const answer = await again.execute(`conn:${row}/get`, { path: "/", query });
    expect([answer.isError, api.seen]).toEqual([
      false,
      ["Bearer s3cret-of-the-row-9fK2xQ7vLm4R ?value=s3cret-of-the-row-9fK2xQ7vLm4R"],
    ]);
    expect(await listSuccesses(other)).toEqual(expect.arrayContaining(before));
    expect(before.length).toBeGreaterThan(answered);
  });

  test("A restored folder knows none of the processes that ran when the backup was made", async () => {
    await using folder = await createDataFolder();
    expect((await restore(whole, folder.path)).exitCode).toBe(0);
    // The hub of the backup still runs, on the same machine.
    const { json } = await run(folder.path, ["doctor", "--json"]);
    const { checks } = doctorReportSchema.parse(json());
    const findMessage = (name: string) => checks.find((check) => check.name === name)?.message;
    expect(findMessage("processes")).toBe("no other process of the hub is running here");
    expect(findMessage("address")).toEndWith("once the hub is started");
  });

  test("The file is private, says what is not in it, and never has the keys as they are", async () => {
    const plain = await run(hub.dataDir, ["backup", join(files.path, "plain.tar.gz")]);
    expect(plain.stdout).toMatch(/^Wrote .*plain\.tar\.gz \(\d+ kB\): 1 user, 1 token, 3 rows, /);
    expect(plain.stdout).toContain("Not in it: logs.");
    expect(plain.stderr).toContain("its stored secrets cannot be opened");
    expect((await stat(whole)).mode & 0o777).toBe(0o600);
    const { keys } = await Bun.file(join(hub.dataDir, "keys.json")).json();
    const unpacked = Buffer.from(Bun.gunzipSync(await Bun.file(whole).bytes())).toString("latin1");
    expect(unpacked).toContain("argon2id");
    for (const key of keys) expect(unpacked).not.toContain(key);
    expect(unpacked).not.toContain("s3cret-of-the-row-9fK2xQ7vLm4R");
    expect((await readdir(files.path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("A backup refuses a file that exists, a short passphrase and a folder without a database", async () => {
    const before = await readFile(whole);
    const existing = await backUp(whole);
    expect([existing.exitCode, existing.stderr]).toEqual([
      1,
      expect.stringContaining("exists already"),
    ]);
    expect((await readFile(whole)).equals(before)).toBe(true);
    const file = join(files.path, "refused.tar.gz");
    const short = await run(hub.dataDir, ["backup", file, "--keys"], { stdin: "short" });
    expect([short.exitCode, short.stderr]).toEqual([2, expect.stringContaining("12 characters")]);
    const none = await run(hub.dataDir, ["backup", file, "--keys"], { stdin: "\n" });
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining("none was given")]);
    await using empty = await createDataFolder();
    const missing = await backUp(file, [], empty.path);
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining("no database")]);
    const nowhere = await backUp(join(files.path, "no-folder", "file.tar.gz"), []);
    expect([nowhere.exitCode, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(/could not be written: .* Name a folder that the user of the hub can/),
    ]);
    expect(await Bun.file(file).exists()).toBe(false);
    expect(await readdir(empty.path)).toEqual([]);
  });

  describe("--keep", () => {
    const list = async (folder: string) => (await readdir(folder)).sort();
    const rotate = (folder: string, keep: string, dataDir = hub.dataDir) =>
      backUp(folder, ["--keep", keep], dataDir);
    const toMade = ({ json }: Awaited<ReturnType<typeof rotate>>) =>
      basename(backupReportSchema.strict().parse(json()).file);

    test("Backups have the time as their names, and only so many of this hub stay", async () => {
      await using folder = await createDataFolder();
      const place = join(folder.path, "made", "backups");
      const first = toMade(await rotate(place, "2"));
      expect(first).toMatch(/^hub-\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z\.tar\.gz$/);
      expect((await stat(place)).mode & 0o777).toBe(0o700);
      // What rotation has not made: by hand, of another hub, a link, other names, and files that begin in another way.
      await using other = await startHub({ isHere: true });
      const foreign = toMade(await rotate(place, "9", other.dataDir));
      const untouched: [name: string, write: (path: string) => Promise<unknown>][] = [
        ["hub-2020-01-01T000000.000Z.tar.gz", (path) => copyFile(whole, path)],
        ["hub-2020-01-02T000000.000Z.tar.gz", (path) => symlink(join(place, first), path)],
        ["hub-2020-01-03T000000.000Z.tar.gz", (path) => writeFile(path, "no archive")],
        ["hub-2020-01-04T000000.000Z.tar", (path) => copyFile(join(place, first), path)],
        ["hub-2020-01-05T000000.000Z.tar.gz", (path) => mkdir(path)],
        [
          "hub-2099-01-01T000000.000Z.tar.gz.0a1b2c3d.tmp",
          (path) => writeFile(path, "it is written now"),
        ],
      ];
      for (const [name, write] of untouched) await write(join(place, name));
      const second = toMade(await rotate(place, "2"));
      const third = await rotate(place, "2");
      expect(third.json()).toMatchObject({ removed: [first], not_removed: [] });
      const names = [second, toMade(third), foreign, ...untouched.map(([name]) => name)];
      expect(await list(place)).toEqual(names.sort());
      await using restored = await createDataFolder();
      await copyFile(join(hub.dataDir, "keys.json"), join(restored.path, "keys.json"));
      expect((await restore(join(place, second), restored.path)).exitCode).toBe(0);
    });

    test("A backup of the future goes before the new one, and old leftovers of killed ones go", async () => {
      await using folder = await createDataFolder();
      const made = toMade(await rotate(folder.path, "1"));
      const later = "hub-2099-01-01T000000.000Z.tar.gz";
      await rename(join(folder.path, made), join(folder.path, later));
      const leftover = "hub-2020-01-01T000000.000Z.tar.gz.0a1b2c3d.database.tmp";
      await writeFile(join(folder.path, leftover), "half");
      await utimes(join(folder.path, leftover), 0, 0);
      const next = toMade(await rotate(folder.path, "1"));
      expect(await list(folder.path)).toEqual([next]);
    });

    test("Two at once make two backups", async () => {
      await using folder = await createDataFolder();
      const both = await Promise.all(
        [1, 2].map(() => runCli({ dataDir: hub.dataDir }, ["backup", "--keep", "5", folder.path])),
      );
      expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
      expect(await list(folder.path)).toHaveLength(2);
    });

    test("A failed backup removes nothing, and a wrong number or a file is refused", async () => {
      await using folder = await createDataFolder();
      const made = [toMade(await rotate(folder.path, "5")), toMade(await rotate(folder.path, "5"))];
      await using empty = await createDataFolder();
      expect((await rotate(folder.path, "1", empty.path)).exitCode).toBe(1);
      const refusals = [
        ["0", folder.path, 2, "--keep must be a whole number from 1 to 9999"],
        ["many", folder.path, 2, "--keep must be a whole number from 1 to 9999"],
        ["1", whole, 1, "With --keep, name the folder of the backups."],
        ["1", join(whole, "below"), 1, "Name a folder that the user of the hub can write to."],
      ] as const;
      for (const [keep, place, exitCode, words] of refusals) {
        const refused = await rotate(place, keep);
        expect([refused.exitCode, refused.stderr]).toEqual([
          exitCode,
          expect.stringContaining(words),
        ]);
      }
      expect(await list(folder.path)).toEqual(made.sort());
    });

    test.skipIf(!canMount)(
      `A full disk leaves no half file, and the older backups stay${skipReason}`,
      async () => {
        await using folder = await createDataFolder();
        const disk = ["mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", folder.path];
        expect(Bun.spawnSync(disk).exitCode).toBe(0);
        try {
          await writeFile(join(folder.path, "filler"), Buffer.alloc(700 * 1024));
          const { exitCode, stderr } = await rotate(folder.path, "1");
          const advice = /could not be written: .* It needs space for a copy/;
          expect([exitCode, stderr]).toEqual([1, expect.stringMatching(advice)]);
          expect(await list(folder.path)).toEqual(["filler"]);
        } finally {
          Bun.spawnSync(["umount", folder.path]);
        }
      },
    );

    nightlyTest(
      "A backup is late after twice the interval of rotation, for doctor and over the API",
      async () => {
        await using folder = await createDataFolder();
        await using late = await startHub();
        const day = 24 * 60 * 60 * 1000;
        await rotate(folder.path, "2", late.dataDir);
        const age = async (days: number, intervalMs: number | undefined) => {
          change(late.dataDir, (database) => {
            const value = JSON.stringify({
              at: Date.now() - days * day,
              hasKeys: false,
              intervalMs,
            });
            database.run("update settings set value = ? where key = 'last_backup'", [value]);
          });
          const { checks } = doctorReportSchema.parse(
            (await run(late.dataDir, ["doctor", "--json"])).json(),
          );
          const check = checks.find(({ name }) => name === "backup");
          return [check?.status, check?.message] as const;
        };
        expect(await age(1.9, day)).toEqual(["ok", expect.any(String)]);
        expect(await age(2.1, day)).toEqual([
          "warn",
          expect.stringContaining("systemctl status hub-backup"),
        ]);
        expect(await age(13, 7 * day)).toEqual(["ok", expect.any(String)]);
        expect(await age(-1, day)).toEqual(["warn", expect.stringContaining("in the future")]);
        expect(await age(6, undefined)).toEqual(["ok", expect.any(String)]);
        expect(await age(8, undefined)).toEqual([
          "warn",
          expect.stringContaining("more than a week ago"),
        ]);
      },
    );
  });

  test("A backup that was cut anywhere is refused, and leaves no database", async () => {
    const bytes = await readFile(whole);
    const random = createRandom(7);
    const lengths = [0, 1, bytes.length - 1, bytes.length - 9];
    while (lengths.length < 12) lengths.push(random.below(bytes.length));
    await using folder = await createDataFolder();
    for (const length of lengths) {
      const file = join(files.path, "cut.tar.gz");
      await writeFile(file, bytes.subarray(0, length));
      const refused = await restore(file, folder.path);
      expect([length, refused.exitCode, refused.stderr]).toEqual([
        length,
        1,
        expect.stringContaining("not a complete backup"),
      ]);
      expect(await listDatabases(folder.path)).toEqual([]);
    }
    // The same folder takes the complete file.
    expect((await restore(whole, folder.path)).exitCode).toBe(0);
  });

  test("A changed byte is refused", async () => {
    await using folder = await createDataFolder();
    const tar = Buffer.from(Bun.gunzipSync(await Bun.file(whole).bytes()));
    // In the middle of the database, where SQLite may not look.
    const at = Math.floor(tar.length / 2);
    tar.writeUInt8(tar.readUInt8(at) ^ 1, at);
    const file = join(files.path, "changed.tar.gz");
    await Bun.write(file, Bun.gzipSync(tar));
    const refused = await restore(file, folder.path);
    expect(refused.stderr).toContain("Its database was altered.");
    expect(await listDatabases(folder.path)).toEqual([]);
  });

  nightlyTest(
    "A backup that is killed at any moment leaves no file of its name, or a complete one",
    async () => {
      const random = createRandom(11);
      const outcomes = new Set<boolean>();
      for (let round = 0; round < 8; round += 1) {
        const file = join(files.path, `killed-${round}.tar.gz`);
        const child = Bun.spawn([...toProgramCommand(hubMain, {}), "backup", file], {
          env: toHubEnv({ dataDir: hub.dataDir }),
          cwd: files.path,
          stdin: "ignore",
          stdout: "ignore",
          stderr: "ignore",
        });
        // From the first trace of its work on, because most of the time is the start of the program.
        await waitFor(async () =>
          (await readdir(files.path)).some((name) => name.startsWith(`killed-${round}.`)),
        );
        await Bun.sleep(random.below(6));
        child.kill("SIGKILL");
        await child.exited;
        const isThere = await Bun.file(file).exists();
        outcomes.add(isThere);
        if (!isThere) continue;
        await using folder = await createDataFolder();
        await copyFile(join(hub.dataDir, "keys.json"), join(folder.path, "keys.json"));
        expect((await restore(file, folder.path)).exitCode).toBe(0);
      }
      expect(outcomes.size).toBeGreaterThan(0);
    },
  );

  test("A restore that is killed leaves a folder that no hub starts on, and begins again", async () => {
    await using folder = await createDataFolder();
    await writeFile(join(folder.path, "hub.sqlite.restoring"), "half");
    const refused = await runCli({ dataDir: folder.path, isEmpty: true }, ["row", "list"]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      1,
      expect.stringContaining("Run hub restore again"),
    ]);
    expect((await restore(whole, folder.path)).exitCode).toBe(0);
    expect(await listDatabases(folder.path)).toEqual(["hub.sqlite"]);
    expect(await readRows(folder.path)).toContain("Shop");
  });

  test("A restore never replaces a database", async () => {
    await using folder = await createDataFolder();
    expect((await restore(whole, folder.path)).exitCode).toBe(0);
    const again = await restore(whole, folder.path);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      expect.stringContaining("has a database already"),
    ]);
  });

  test("A folder, a device and a file that is missing are no backups", async () => {
    await using folder = await createDataFolder();
    const [one, other] = [files.path, join(files.path, "nothing.tar.gz")];
    // Reading a pipe or a terminal would wait without end.
    expect((await restore("/dev/null", folder.path)).stderr).toContain("/dev/null is not a file.");
    expect((await restore(one, folder.path)).stderr).toContain(`${one} is a folder. Name the file`);
    expect((await restore(other, folder.path)).stderr).toContain(`${other} does not exist. Name`);
  });

  test.skipIf(!canMount)(
    `A restore to a disk that is full says what it needs, and leaves no database${skipReason}`,
    async () => {
      await using folder = await createDataFolder();
      const disk = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder.path];
      expect(Bun.spawnSync(disk).exitCode).toBe(0);
      try {
        const { exitCode, stderr } = await restore(whole, folder.path);
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ENOSPC")]);
        expect(stderr).toContain("needs space for the whole database. Nothing was restored.");
        expect(await listDatabases(folder.path)).toEqual([]);
      } finally {
        Bun.spawnSync(["umount", folder.path]);
      }
    },
  );

  test("Two restores into one folder at once restore it once", async () => {
    await using folder = await createDataFolder();
    const both = await Promise.all([
      restoreAlone(whole, folder.path, cheapPasswords),
      restoreAlone(whole, folder.path, cheapPasswords),
    ]);
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1]);
    expect(await readRows(folder.path)).toContain("Shop");
  });

  describe("keys", () => {
    test("Another passphrase restores nothing", async () => {
      await using folder = await createDataFolder();
      const refused = await restore(whole, folder.path, { stdin: "another passphrase" });
      expect(refused.stderr).toContain("The passphrase does not open the keys");
      expect(await listDatabases(folder.path)).toEqual([]);
      expect(await Bun.file(join(folder.path, "keys.json")).exists()).toBe(false);
    });

    test("Keys of the folder or of HUB_ENC_KEY that differ from those of the backup are refused by their ids", async () => {
      await using folder = await createDataFolder();
      await createKeyFile(folder.path);
      const refused = await restore(whole, folder.path);
      expect(refused.stderr).toMatch(/needs keys that the key file in .* lacks: [0-9a-f]{8}\./);
      await rm(join(folder.path, "keys.json"));
      const env = { HUB_ENC_KEY: "7c".repeat(32) };
      const other = await restore(whole, folder.path, { env });
      expect(other.stderr).toMatch(/needs keys that HUB_ENC_KEY lacks: [0-9a-f]{8}\./);
      expect(await listDatabases(folder.path)).toEqual([]);
    });

    test("A backup without keys needs those of the folder, or --without-keys", async () => {
      const file = join(files.path, "keyless.tar.gz");
      expect((await backUp(file, [])).exitCode).toBe(0);
      await using folder = await createDataFolder();
      const refused = await restore(file, folder.path);
      expect(refused.stderr).toContain("Copy keys.json of the old data folder");
      await using lost = await createDataFolder();
      const without = await restore(file, lost.path, { args: ["--without-keys"] });
      expect(without.json<{ keys: string }>().keys).toBe("none");
      await copyFile(join(hub.dataDir, "keys.json"), join(folder.path, "keys.json"));
      expect((await restore(file, folder.path)).json<{ keys: string }>().keys).toBe("folder");
    });
  });

  test("A backup of a newer version is refused, and one of an older version is migrated by the first start", async () => {
    await using newer = await createDataFolder();
    expect((await restore(whole, newer.path)).exitCode).toBe(0);
    change(newer.path, (database) => {
      database.run(
        "insert into migrations (name, checksum, applied_at, level) values ('999-newer', 'x', 1, 1)",
      );
    });
    const file = join(files.path, "newer.tar.gz");
    expect((await backUp(file, ["--keys"], newer.path)).exitCode).toBe(0);
    await using folder = await createDataFolder();
    const refused = await restore(file, folder.path);
    expect(refused.stderr).toContain("made by a newer version");
    expect(await listDatabases(folder.path)).toEqual([]);

    await using older = await createDataFolder();
    expect((await restore(whole, older.path)).exitCode).toBe(0);
    change(older.path, (database) => {
      for (const table of groupTables) database.run(`drop table ${table}`);
      database.run("delete from migrations where name = '048-groups'");
    });
    const old = join(files.path, "older.tar.gz");
    expect((await backUp(old, ["--keys"], older.path)).exitCode).toBe(0);
    // The backup has not migrated what it has kept.
    const restored = (await restore(old, folder.path)).json<{ pending: string[] }>();
    expect(restored.pending).toEqual(["048-groups"]);
    const outdated = await run(folder.path, ["row", "list"]);
    expect([outdated.exitCode, outdated.stderr]).toEqual([
      1,
      expect.stringContaining(
        "it lacks the migration 048-groups. Commands do not upgrade it.",
      ),
    ]);
    expect((await run(folder.path, ["migrate"])).stdout).toContain("Copied before: ");
    expect(await readRows(folder.path)).toContain("Shop");
  });

  test("hub doctor says when the last backup was", async () => {
    await using folder = await createDataFolder();
    const examine = async () => {
      const { json } = await run(folder.path, ["doctor", "--json"]);
      return doctorReportSchema.parse(json()).checks.find(({ name }) => name === "backup");
    };
    expect((await restore(whole, folder.path)).exitCode).toBe(0);
    expect(await examine()).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/^the last one is of \d{4}-.*, with the keys$/),
    });
    change(folder.path, (database) => {
      const old = JSON.stringify({ at: Date.now() - 8 * 24 * 3_600_000, hasKeys: false });
      database.query("update settings set value = ? where key = 'last_backup'").run(old);
    });
    expect(await examine()).toMatchObject({
      status: "warn",
      message: expect.stringContaining("more than a week ago"),
    });
  });

  test("On PostgreSQL, both name its own programs", async () => {
    await using folder = await createDataFolder();
    const env = { HUB_DATABASE_URL: "postgres://127.0.0.1:1/hub", HUB_ENC_KEY: "7c".repeat(32) };
    const file = join(files.path, "postgres.tar.gz");
    const taken = await run(folder.path, ["backup", file], { env });
    expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining("pg_dump")]);
    const restored = await restore(whole, folder.path, { env });
    expect([restored.exitCode, restored.stderr]).toEqual([
      1,
      expect.stringContaining("pg_restore"),
    ]);
  });
});

function change(dataDir: string, work: (database: Database) => void): void {
  using database = new Database(join(dataDir, "hub.sqlite"));
  work(database);
}

/** Answers with the credential that it got, as some APIs do. */
function serveApi() {
  const seen: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const authorization = request.headers.get("authorization") ?? "";
      const { search } = new URL(request.url);
      seen.push(`${authorization} ${decodeURIComponent(search)}`);
      return Response.json({ authorization });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return { url, seen, stop: () => server.stop(true) };
}

const groupTables = [
  "user_groups",
  "user_group_reads",
  "group_lines",
  "group_line_revision",
  "prepared_users",
  "provider_sessions",
];
