/** The hub on PostgreSQL when the database goes away and comes back. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { bundleMain } from "../support/bundle-main.ts";
import { collectText } from "../support/collect-text.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { endWithRunner } from "../support/end-with-runner.ts";
import { openFaultyFlow } from "../support/faulty-flow.ts";
import { type EmbeddedServer, startEmbedded } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { hubMain, runCli, toHubEnv } from "../support/run-cli.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

const encKey = "5a".repeat(32);
let server: EmbeddedServer;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function toEnv(): Promise<Record<string, string>> {
  return { HUB_DATABASE_URL: await server.createDatabase(), HUB_ENC_KEY: encKey };
}

function call(hub: RunningHub, token: string, name: string) {
  return postRpc(hub.url, token, toToolCall(name, {}));
}

async function listRuns(url: string): Promise<string[]> {
  await using database = new SQL({ url, max: 1 });
  const runs = await database.unsafe("select operation_key from connector_runs order by id");
  return runs.map((run: { operation_key: string }) => run.operation_key);
}

test("Two hubs on one database share users, tokens and rows, and see each other's changes at once", async () => {
  const env = await toEnv();
  await using one = await startHub({ env });
  await using two = await startHub({ env });
  const user = await one.addUser("ann@example.com");
  expect((await call(two, user.token, "hub_list")).status).toBe(200);
  await two.cli("user", "disable", user.email);
  expect((await call(one, user.token, "hub_list")).status).toBe(401);
});

test("Calls fail with 503 while the database is away, and succeed when it is back", async () => {
  const env = await toEnv();
  await using hub = await startHub({ env });
  const { token } = await hub.addUser("ann@example.com");
  expect((await call(hub, token, "hub_info")).status).toBe(200);
  await server.crash();
  const refused = await call(hub, token, "hub_info");
  expect([refused.status, JSON.parse(await refused.text()).code]).toEqual([503, "unavailable"]);
  await server.start();
  await waitFor(async () => (await call(hub, token, "hub_list")).status === 200);
  expect(await listRuns(env.HUB_DATABASE_URL ?? "")).toEqual(["hub_info", "hub_list"]);
});

test("A server that starts without its database waits for it, and says so", async () => {
  const env = await toEnv();
  await server.crash();
  await using folder = await createDataFolder();
  const failed = await runCli({ dataDir: folder.path, env }, ["user", "list"]);
  expect([failed.exitCode, failed.stderr]).toEqual([
    1,
    expect.stringContaining("Check that PostgreSQL runs at the address in HUB_DATABASE_URL."),
  ]);
  const child = Bun.spawn([process.execPath, bundleMain(hubMain), "serve"], {
    env: toHubEnv({ dataDir: folder.path, env }),
    cwd: folder.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithRunner(child);
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)];
  await stderr.waitForMatch(/The hub waits for it/);
  await server.start();
  await stdout.waitForMatch(/http:.*\/mcp/);
  child.kill();
  expect(await child.exited).toBe(0);
});

nightlyTest("A server that waits for its database stops when it is asked to", async () => {
  const env = await toEnv();
  await server.crash();
  await using folder = await createDataFolder();
  const child = Bun.spawn([process.execPath, bundleMain(hubMain), "serve"], {
    env: toHubEnv({ dataDir: folder.path, env }),
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  endWithRunner(child);
  const stderr = collectText(child.stderr);
  await stderr.waitForMatch(/The hub waits for it/);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  await stderr.ended;
  expect(stderr.text()).toContain("The hub was stopped before it had started.");
  await server.start();
});

nightlyTest(
  "A server stops although its database is paused, and the next one cancels its calls",
  async () => {
    const env = await toEnv();
    await using hub = await startHub({ env });
    const { token } = await hub.addUser("ann@example.com");
    expect((await call(hub, token, "hub_info")).status).toBe(200);
    const goOn = server.pause();
    const waiting = call(hub, token, "hub_list").then(
      (answer) => answer.status,
      () => "cut",
    );
    // With the usual limits of 15 seconds for each part, the test would time out.
    expect(await hub.stop()).toBe(1);
    expect(hub.stderr()).toContain("error: The database did not answer while the hub stopped");
    expect(await waiting).toBeOneOf([503, "cut"]);
    goOn();
    await using next = await startHub({ env });
    expect((await call(next, token, "hub_info")).status).toBe(200);
  },
  30_000,
);

test("A command uses at most four connections, so that many can run at once", async () => {
  const env = await toEnv();
  const url = new URL(env.HUB_DATABASE_URL ?? "");
  await using admin = new SQL({ url: url.href, max: 1 });
  // The limit does not hold for the superuser of the other tests.
  await admin.unsafe("create role four login connection limit 4");
  await admin.unsafe("grant create on schema public to four");
  url.username = "four";
  await using folder = await createDataFolder();
  const limited = { dataDir: folder.path, env: { ...env, HUB_DATABASE_URL: url.href } };
  expect((await runCli(limited, ["migrate"])).exitCode).toBe(0);
  const added = await runCli(limited, ["user", "add", "ann@example.com"]);
  expect([added.exitCode, added.stderr]).toEqual([0, expect.not.stringContaining("connection")]);
});

test("A database that does not exist stops the start with its name", async () => {
  await using folder = await createDataFolder();
  const url = new URL(server.url);
  url.pathname = "/nowhere";
  const env = { HUB_DATABASE_URL: url.href, HUB_ENC_KEY: encKey };
  const failed = await runCli({ dataDir: folder.path, env }, ["user", "list"]);
  expect([failed.exitCode, failed.stderr]).toEqual([
    1,
    expect.stringContaining('in HUB_DATABASE_URL: database "nowhere" does not exist.'),
  ]);
});

/** Errors of PostgreSQL that pass by themselves: of its disk, and of a standby that a failover leaves. */
const passing = { "read-only service": "read_only_sql_transaction", "a full disk": "disk_full" };

test.each(someOf(1, Object.entries(passing)))(
  "Webhooks answer 503 during %s, and runs in flight go on after it",
  async (_, errcode) => {
    const env = await toEnv();
    env.HUB_WORKFLOW_OUTBOUND_ALLOW = "127.0.0.1";
    await using sql = new SQL({ url: env.HUB_DATABASE_URL ?? "", max: 1 });
    await using hub = await startHub({ env });
    await using flow = await openFaultyFlow(hub, async (statement) => [
      ...(await sql.unsafe(statement)),
    ]);
    await flow.startOne();
    await sql.unsafe(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'It passes.' using errcode = '${errcode}'; end $$`);
    for (const table of ["workflow_runs", "workflow_steps", "connector_runs"]) {
      await sql.unsafe(
        `create trigger refuse before insert or update on ${table} execute function refuse()`,
      );
    }
    flow.release();
    expect(await Promise.all([flow.send(), flow.send()])).toEqual([false, false]);
    await sql.unsafe("drop function refuse cascade");
    await flow.expectAllDone();
  },
  120_000,
);
