/** Keys of servers that share a database. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { SQL } from "bun";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type CliResult, runCli } from "../support/run-cli.ts";
import { startHub } from "../support/start-hub.ts";

const [one, two] = ["1a".repeat(32), "2b".repeat(32)];
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** The outcome of a start: the admin that it printed, or the refusal. */
async function tryStart(url: string, keys: string): Promise<string> {
  try {
    await using hub = await startHub({ env: { HUB_DATABASE_URL: url, HUB_ENC_KEY: keys } });
    return /created the admin/.test(hub.stdout()) ? "first admin" : "started";
  } catch (err) {
    return err instanceof Error ? err.message : String(err);
  }
}

async function command(url: string, keys: string, args: string[]): Promise<CliResult> {
  await using folder = await createDataFolder();
  return await runCli(
    { dataDir: folder.path, env: { HUB_DATABASE_URL: url, HUB_ENC_KEY: keys } },
    args,
  );
}

async function countAdmins(url: string): Promise<number> {
  await using database = new SQL({ url, max: 1 });
  const [found] = await database.unsafe(
    "select count(*)::int as n from users where role = 'admin'",
  );
  return found.n;
}

test("Commands make no hub in an empty database", async () => {
  await using folder = await createDataFolder();
  const url = await server.createDatabase();
  const run = (args: string[], env: Record<string, string>) =>
    runCli({ dataDir: folder.path, env: { HUB_DATABASE_URL: url, ...env }, isEmpty: true }, args);
  const commands = [
    ["user", "list"],
    ["user", "add", "ada@example.com"],
    ["export"],
    ["keys", "adopt"],
  ];
  for (const args of commands) {
    const { exitCode, stdout, stderr } = await run(args, { HUB_ENC_KEY: one });
    expect([args, exitCode, stdout]).toEqual([args, 1, ""]);
    expect(stderr).toContain("The database at HUB_DATABASE_URL has no hub");
  }
  await using database = new SQL({ url, max: 1 });
  const [tables] = await database.unsafe(
    "select count(*)::int as n from pg_tables where schemaname = 'public'",
  );
  expect(tables.n).toBe(0);

  expect(await readdir(folder.path)).toEqual([]);
});

nightlyTest(
  "Of two first starts at once with the same key, one makes the first admin",
  async () => {
    const url = await server.createDatabase();
    const starts = await Promise.all([tryStart(url, one), tryStart(url, one)]);
    expect(starts.toSorted()).toEqual(["first admin", "started"]);
    expect(await countAdmins(url)).toBe(1);
  },
);

test("Of two first starts at once with different keys, one makes the first admin and one is refused", async () => {
  const url = await server.createDatabase();
  const starts = await Promise.all([tryStart(url, one), tryStart(url, two)]);
  expect(starts.toSorted()).toEqual([
    expect.stringContaining("HUB_ENC_KEY lacks the key"),
    "first admin",
  ]);
  expect(await countAdmins(url)).toBe(1);
});

test("Keys change while servers run: first OLD,NEW on all of them, then NEW,OLD", async () => {
  const url = await server.createDatabase();
  expect(await tryStart(url, one)).toBe("first admin");
  expect(await tryStart(url, two)).toContain("HUB_ENC_KEY lacks the key");
  expect(await tryStart(url, `${one},${two}`)).toBe("started");
  expect(await tryStart(url, `${two},${one}`)).toBe("started");
  expect(await tryStart(url, one)).toContain("set OLD,NEW on every server first, then NEW,OLD");
});

nightlyTest("A lost key is given up by hub keys adopt", async () => {
  const url = await server.createDatabase();
  expect(await tryStart(url, one)).toBe("first admin");
  const list = ["user", "list"];
  expect((await command(url, two, list)).stderr).toContain("run: hub keys adopt");
  const adopted = await command(url, two, ["keys", "adopt"]);
  expect([adopted.exitCode, adopted.stdout]).toEqual([
    0,
    expect.stringContaining("Stored secrets that no key opens: 0."),
  ]);
  expect((await command(url, two, list)).exitCode).toBe(0);
});
