/** Several servers on one PostgreSQL database, as behind a load balancer. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import {
  nightlyDescribe,
  nightlyTest,
} from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createBrowser } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import {
  callback,
  createTestOAuthClient,
  openOAuthFixture,
  signIn,
} from "../support/oauth-fixture.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openMigrated } from "./support/migrated-database.ts";

setDefaultTimeout(180_000);

const encKey = "5a".repeat(32);
const main = resolve(import.meta.dirname, "../support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let createDatabase: () => Promise<string>;

beforeAll(async () => {
  createDatabase = await openMigrated(owned.use(await startPostgres()));
});
afterAll(() => owned.disposeAsync());

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
/** A machine whose clock is ahead by this much. */
const skewed = (ms: number) => ({
  BUN_OPTIONS: `--preload ${join(import.meta.dirname, "../support/skewed-clock.ts")}`,
  HUB_TEST_CLOCK_SKEW_MS: String(ms),
});

type Servers = AsyncDisposable & { url: string; db: SQL; hubs: RunningHub[] };

/** Servers on one new database, each with its own environment. */
async function startServers(...envs: Record<string, string>[]): Promise<Servers> {
  const stack = new AsyncDisposableStack();
  const url = await createDatabase();
  const db = new SQL({ url, max: 2, bigint: true });
  stack.defer(() => db.close());
  const hubs: RunningHub[] = [];
  for (const env of envs) {
    const own = { HUB_DATABASE_URL: url, HUB_ENC_KEY: encKey, ...env };
    hubs.push(stack.use(await startHub({ main, env: own })));
  }
  return { url, db, hubs, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A user with a row whose operation `wait` runs until the call is cancelled. */
async function addWaiter(hub: RunningHub, email = "ann@example.com") {
  const user = await hub.addUser(email, { tags: ["ops"] });
  const secret = { FIXTURE_SECRET: "s3cret-value-9fK2xQ7vLm4R" };
  const args = ["row", "add", "fixture", "--label", email, "--tag", "ops", "--json"];
  const added = await hub.tryCli([...args, "--secret-env", "secret=FIXTURE_SECRET"], {
    env: secret,
  });
  const { id } = added.json<{ id: string }>();
  return { user, toolId: `conn:${id}/wait` };
}

const session = { "Mcp-Session-Id": "0c6f4c2e-8a53-4c80-a98e-6e7f0a7f6d11" };

function execute(hub: RunningHub, user: TestUser, toolId: string, headers = {}, id = 1) {
  const message = toToolCall("hub_execute", { tool_id: toolId, params: {} }, id);
  return postRpc(hub.url, user.token, message, { accept: "application/json", ...headers });
}

function notifyCancelled(hub: RunningHub, user: TestUser, requestId: number, headers = session) {
  const params = { requestId };
  const message = { jsonrpc: "2.0", method: "notifications/cancelled", params };
  return postRpc(hub.url, user.token, message, headers);
}

async function readCode(answer: Promise<Response>): Promise<string> {
  // An event stream, because the operation reports progress.
  const text = await (await answer).text();
  const { result } = JSON.parse(text.split("data: ").at(-1) ?? "");
  return JSON.parse(result.content[0].text).code;
}

async function findRunning(db: SQL, count = 1): Promise<string[]> {
  const running = "select id from connector_runs where status = 'running' order by id";
  await waitFor(async () => (await db.unsafe(running)).length === count);
  return (await db.unsafe(running)).map(({ id }: { id: string }) => id);
}

async function api(hub: RunningHub, path: string, method = "GET") {
  const token = (
    await hub.cli(
      "token",
      "create",
      "--user",
      "admin@localhost",
      "--name",
      crypto.randomUUID(),
      "--scope",
      "manage",
      "--json",
    )
  ).json<{ token: string }>().token;
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return {
    status: response.status,
    body: response.status === 204 ? null : Object(await response.json()),
  };
}

describe("a call on one server", () => {
  test.concurrent("Another server shows it while it runs and cancels it, also after the connection for signals was lost", async () => {
    await using servers = await startServers({}, {});
    const [one, two] = servers.hubs as [RunningHub, RunningHub];
    const { user, toolId } = await addWaiter(one);
    for (const isCut of [false, true]) {
      if (isCut)
        await servers.db.unsafe(
          "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'",
        );
      const answer = execute(one, user, toolId);
      const [id] = await findRunning(servers.db);
      const listed = await api(two, "/manager/api/runs?status=running");
      expect(listed.body.runs.map((run: { id: string }) => run.id)).toEqual([id]);
      expect((await api(two, `/manager/api/runs/${id}/cancel`, "POST")).status).toBeLessThan(300);
      expect(await readCode(answer)).toBe("cancelled");
      const ended = await api(two, `/manager/api/runs/${id}`);
      expect(ended.body.status).toBe("cancelled");
    }
  });

  nightlyTest.concurrent(
    "Its client cancels it over another server, and another user with the same session id does not",
    async () => {
      await using servers = await startServers({}, {}, {});
      const [one, two, three] = servers.hubs as [RunningHub, RunningHub, RunningHub];
      const { user, toolId } = await addWaiter(one);
      const other = await one.addUser("ben@example.com", { tags: ["ops"] });
      const own = execute(one, user, toolId, session, 7);
      await findRunning(servers.db, 1);
      const others = execute(one, other, toolId, session, 7);
      const [, othersId] = await findRunning(servers.db, 2);
      expect((await notifyCancelled(two, user, 8)).status).toBe(202);
      expect((await notifyCancelled(two, user, 7)).status).toBe(202);
      expect(await readCode(own)).toBe("cancelled");
      expect(await findRunning(servers.db, 1)).toEqual([othersId ?? ""]);
      // The id that each server answers with is the client's own, so it holds on the next server.
      const later = await notifyCancelled(three, other, 7);
      expect(later.headers.get("mcp-session-id")).toBeNull();
      expect(await readCode(others)).toBe("cancelled");
    },
  );
});

describe("periodic work", () => {
  test.concurrent("One server does it for all, and another one goes on with it when this one is killed", async () => {
    await using servers = await startServers({}, {});
    const { db, hubs } = servers;
    await waitFor(
      async () =>
        (
          await db.unsafe(
            "select 1 from periodic_jobs where name = 'purge-runs' and holder is null",
          )
        ).length === 1,
    );
    const firstDue = await findDue(db);
    const addOld = (count: number) =>
      db.unsafe(`insert into connector_runs (id, operation_key, user_id, source, status, request_cut, instance_id, started_at, ended_at)
        select gen_random_uuid()::text, 'old', 'u', 'mcp', 'success', 0, 'i', 1, 2 from generate_series(1, ${count})`);
    await addOld(10_000);
    await db.unsafe("update periodic_jobs set due_at = 0 where name = 'purge-runs'");
    const holder = await waitFor(async () => {
      const [job] = await db.unsafe("select holder from periodic_jobs where name = 'purge-runs'");
      return job.holder;
    });
    const left = async () => {
      const [row] = await db.unsafe(
        "select count(*)::int from connector_runs where operation_key = 'old'",
      );
      return row.count;
    };
    await waitFor(async () => (await left()) < 10_000);
    const [{ pid }] = await db.unsafe("select pid::int from instances where id = $1", [
      String(holder).split(" ")[0],
    ]);
    await hubs.find((hub) => hub.pid === pid)?.kill();
    const atKill = await left();
    expect(atKill).toBeGreaterThan(0);
    // The claim of a dead server ends after 20 seconds.
    await db.unsafe("update periodic_jobs set held_until = 0 where name = 'purge-runs'");
    await waitFor(async () => (await left()) === 0);
    await waitFor(
      async () =>
        (
          await db.unsafe(
            "select 1 from periodic_jobs where name = 'purge-runs' and holder is null",
          )
        ).length === 1,
    );
    const [job] = await db.unsafe(
      "select holder, due_at from periodic_jobs where name = 'purge-runs'",
    );
    expect(job.holder).toBeNull();
    expect(Number(job.due_at)).toBeGreaterThan(firstDue);
    expect(Number(job.due_at)).toBeGreaterThan(Date.now() + dayMs / 2);
  });

  const findDue = async (db: SQL) =>
    Number(
      (await db.unsafe("select due_at from periodic_jobs where name = 'purge-runs'"))[0].due_at,
    );
});

nightlyDescribe("a server whose clock is five minutes off", () => {
  test.concurrent.each([
    5, -5,
  ])("by %d minutes is alive for others, and others for it", async (minutes) => {
    await using servers = await startServers(skewed(minutes * minuteMs), {});
    const [wrong, right] = servers.hubs as [RunningHub, RunningHub];
    const { user, toolId } = await addWaiter(right);
    const answers = [execute(wrong, user, toolId), execute(right, user, toolId)];
    const ids = await findRunning(servers.db, 2);
    const beats = async () =>
      (await servers.db.unsafe("select heartbeat_at from instances where kind = 'serve'")).map(
        (row: { heartbeat_at: bigint }) => Number(row.heartbeat_at),
      );
    const from = Math.max(...(await beats()));
    // Each has looked at the other at least once after this many heartbeats.
    await waitFor(async () => (await beats()).every((at: number) => at > from + 6_000));
    for (const at of await beats()) expect(Math.abs(at - Date.now())).toBeLessThan(minuteMs);
    expect(await findRunning(servers.db, 2)).toEqual(ids);
    for (const id of ids) await api(right, `/manager/api/runs/${id}/cancel`, "POST");
    for (const answer of answers) expect(await readCode(answer)).toBe("cancelled");
    const [{ count }] = await servers.db.unsafe(
      "select count(*) from connector_runs where abs(started_at - extract(epoch from now()) * 1000) > 120000",
    );
    expect(Number(count)).toBe(0);
  });

  test.concurrent("An application gets its tokens over both", async () => {
    const url = await createDatabase();
    const env = { HUB_DATABASE_URL: url, HUB_ENC_KEY: encKey };
    await using fixture = await openOAuthFixture({ env });
    const port = await findFreePort();
    const preload = skewed(5 * minuteMs);
    await using other = await startHub({
      env: { ...env, ...preload, HUB_BASE_URL: fixture.base, HUB_PORT: String(port) },
    });
    const ada = await fixture.addUserWithPassword("ada@example.com");
    const browser = createBrowser({ stopAt: (at: URL) => at.href.startsWith(callback) });
    await signIn(browser, fixture.base, ada);
    const first = createTestOAuthClient(fixture.base);
    const second = createTestOAuthClient(other.url.replace("127.0.0.1", "localhost"));
    const clientId = await first.register();
    const consent = await browser.open(first.toAuthorizeUrl(clientId));
    const decided = await browser.submit(consent, { decision: "allow" });
    const code = new URL(decided.url).searchParams.get("code") ?? "";
    const redeemed = await second.redeem(clientId, code);
    expect(redeemed.status).toBe(200);
    const tokens = Object(await redeemed.json());
    for (const base of [fixture.base, other.url]) {
      expect((await postRpc(base, tokens.access_token, toToolCall("hub_list", {}))).status).toBe(
        200,
      );
    }
    expect((await first.refresh(clientId, tokens.refresh_token)).status).toBe(200);
  });
});

nightlyDescribe("what a server tells of the others", () => {
  test.concurrent("The status, the metrics and the doctor tell of the pool, the servers and a wrong clock", async () => {
    await using servers = await startServers({}, skewed(5 * minuteMs));
    const [one, two] = servers.hubs as [RunningHub, RunningHub];
    const status = (await api(two, "/admin/api/status")).body;
    expect(status.database).toMatchObject({
      kind: "PostgreSQL",
      server: { connections_max: 10, waiting: 0 },
    });
    expect(status.database.server.connections_open).toBeGreaterThan(0);
    expect(status.database.server.round_trip_ms).toBeGreaterThan(0);
    const seen = Object.fromEntries(
      status.processes.map((each: { pid: number }) => [each.pid, each]),
    );
    expect(Object.keys(seen).length).toBeGreaterThanOrEqual(2);
    expect(seen[one.pid]).toMatchObject({ kind: "serve", answers: false });
    expect(seen[two.pid]).toMatchObject({ kind: "serve", answers: true });
    expect(Math.abs(seen[one.pid].clock_offset_ms)).toBeLessThan(minuteMs);
    expect(seen[two.pid].clock_offset_ms).toBeLessThan(-4 * minuteMs);
    for (const { started_at: at } of Object.values(seen)) {
      expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(minuteMs);
    }

    const metrics = await (await fetch(`${two.url}/metrics`)).text();
    expect(metrics).toMatch(/^hub_servers\{version="[^"]+"\} 2$/m);
    expect(metrics).toMatch(/^hub_database_pool_connections_max 10$/m);
    expect(metrics).toMatch(/^hub_clock_offset_seconds -(29\d|30\d)/m);
    expect(metrics).toMatch(/^hub_database_round_trip_seconds \d/m);
    expect(metrics).not.toContain(new URL(servers.url).pathname.slice(1));

    const report = await one.tryCli(["doctor", "--json"]);
    const checks = report.json<{ checks: { name: string; status: string; message: string }[] }>();
    const find = (name: string) => checks.checks.find((check) => check.name === name);
    expect(find("database")).toMatchObject({
      status: "ok",
      message: expect.stringContaining("round trip"),
    });
    expect(find("processes")).toMatchObject({
      status: "warn",
      message: expect.stringMatching(
        new RegExp(`serve ${one.pid} on .* The clock of ${two.pid} on .* is 30\\d s ahead`),
      ),
    });
  });
});
