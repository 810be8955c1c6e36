/**
 * Attacks on several servers with one PostgreSQL database. The clocks of their machines differ by up
 * to ten minutes, so nothing may depend on them.
 */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createBrowser } from "../support/browser.ts";
import { openDecisionTrial } from "../support/decision-trial.ts";
import { findFreePort } from "../support/free-port.ts";
import {
  callback,
  createTestOAuthClient,
  signIn,
  signInAndDecide,
  type UserLogin,
} from "../support/oauth-fixture.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const support = join(import.meta.dirname, "../support");
const main = join(support, "fixture-hub.ts");
const minuteMs = 60_000;
const owned = new AsyncDisposableStack();
let database: SQL;
/** With the right clock, one that is ahead, and one that is behind. */
let hubs: [right: RunningHub, ahead: RunningHub, behind: RunningHub];
/** Their addresses for browsers. */
let bases: [right: string, ahead: string, behind: string];
let ada: UserLogin;

beforeAll(async () => {
  const server = owned.use(await startPostgres());
  const url = await server.createDatabase();
  database = new SQL({ url, max: 1 });
  owned.defer(() => database.close());
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()] as const;
  const toBase = (port: number) => `http://localhost:${port}`;
  bases = [toBase(ports[0]), toBase(ports[1]), toBase(ports[2])];
  const open = async (port: number, aheadMs: number) => {
    const preloads = ["cheap-passwords.ts", "skewed-clock.ts"].map((file) => join(support, file));
    const env = {
      HUB_DATABASE_URL: url,
      HUB_ENC_KEY: "5a".repeat(32),
      HUB_BASE_URL: bases[0],
      HUB_PORT: String(port),
      HUB_USER_CALLS_PER_MINUTE: "60",
      FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R",
      HUB_TEST_CLOCK_SKEW_MS: String(aheadMs),
      BUN_OPTIONS: preloads.map((path) => `--preload ${path}`).join(" "),
    };
    return owned.use(await startHub({ main, env }));
  };
  const right = await open(ports[0], 0);
  hubs = [right, await open(ports[1], 5 * minuteMs), await open(ports[2], -5 * minuteMs)];
  ada = await addPasswordUser("ada@example.com");
});
afterAll(() => owned.disposeAsync());

async function addPasswordUser(email: string): Promise<UserLogin> {
  const made = await hubs[0].cli("user", "add", email, "--password", "--json");
  const { one_time_password: once } = made.json<{ one_time_password: string }>();
  const browser = createBrowser();
  await signIn(browser, bases[0], { email, password: once });
  const page = await browser.open(`${bases[0]}/auth/password`);
  const password = "a long enough pass phrase";
  await browser.submit(page, { new_password: password, repeated: password });
  return { email, password };
}

async function call(hub: RunningHub, token: string, name = "hub_info", args = {}) {
  const response = await postRpc(hub.url, token, toToolCall(name, args));
  if (response.status !== 200) return String(response.status);
  const text = await response.text();
  // A call that reports progress is answered by a stream of events.
  const { result } = JSON.parse(text.split(/^data: /m).at(-1) ?? "");
  return result.isError ? JSON.parse(result.content[0].text).code : "success";
}

nightlyTest("Of two admins who disable each other at once, one stays, in every round", async () => {
  const [one, two] = hubs;
  const add = async (email: string) => {
    await one.cli("user", "add", email, "--admin");
    const args = ["--user", email, "--name", "m", "--scope", "manage", "--json"];
    const { token } = (await one.cli("token", "create", ...args)).json<{ token: string }>();
    const [user] = await database.unsafe("select id from users where email = $1", [email]);
    return { email, token, id: String(user.id) };
  };
  const [ann, ben] = [await add("ann@example.com"), await add("ben@example.com")];
  await one.cli("user", "disable", "admin@localhost");
  const disable = async (hub: RunningHub, { token }: { token: string }, { id }: { id: string }) => {
    const headers = { authorization: `Bearer ${token}` };
    const path = `/admin/api/users/${id}/disable`;
    return (await fetch(`${hub.url}${path}`, { method: "POST", headers })).status;
  };
  for (let round = 0; round < 3; round += 1) {
    // Both requests have passed their token checks when the first one changes something.
    await database.unsafe("begin");
    await database.unsafe("lock table transaction_turns in access exclusive mode");
    const answers = Promise.all([disable(one, ann, ben), disable(two, ben, ann)]);
    const waiting =
      "select 1 from pg_locks where relation = 'transaction_turns'::regclass and not granted";
    await waitFor(async () => (await database.unsafe(waiting)).length === 2);
    await database.unsafe("commit");
    const statuses = await answers;
    const active = await database.unsafe(
      "select email from users where role = 'admin' and status = 'active'",
    );
    expect([round, active.length]).toEqual([round, 1]);
    expect(statuses.toSorted()).toEqual([200, 409]);
    for (const { email } of [ann, ben]) await one.cli("user", "enable", email);
  }
  await one.cli("user", "enable", "admin@localhost");
});

nightlyTest(
  "Of decisions about one approval on two servers at once, one counts, in every round",
  async () => {
    const [one, , behind] = hubs;
    const servers = [
      { hub: one, base: bases[0] },
      { hub: behind, base: bases[2] },
    ] as const;
    const trial = await openDecisionTrial([...servers]);
    for (let round = 0; round < 4; round += 1) {
      const asked = await trial.ask();
      // Both servers have checked the sessions when the first one decides.
      await database.unsafe("begin");
      await database.unsafe("lock table transaction_turns in access exclusive mode");
      const answers = trial.decideAtOnce(asked);
      const waiting =
        "select 1 from pg_locks where relation = 'transaction_turns'::regclass and not granted";
      await waitFor(async () => (await database.unsafe(waiting)).length >= 2);
      await database.unsafe("commit");
      const decided = await answers;
      expect(decided.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
      const winner = decided.find(({ status }) => status === 200);
      expect(await trial.readEnd(asked)).toEqual({
        decidedBy: winner?.by,
        state: winner?.decision,
        changes: [winner?.by],
        nodes: [[winner?.decision === "approved" ? "yes" : "no", winner?.by]],
      });
    }
  },
);

test("Of two uses of one refresh token at once, at most one gets tokens, and the grant ends", async () => {
  const connected = await createTestOAuthClient(bases[0]).connect(ada);
  const { clientId, tokens } = connected;
  const clients = bases.slice(1).map((base) => createTestOAuthClient(base));
  const answers = await Promise.all(
    clients.map((client) => client.refresh(clientId, tokens.refresh_token)),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  expect([
    [200, 400],
    [400, 400],
  ]).toContainEqual(statuses);
  const winner = answers.find(({ status }) => status === 200);
  // The grant may end before the first one has its new tokens.
  if (winner === undefined) return;
  const renewed = Object(await winner.json());
  for (const hub of hubs) expect(await call(hub, renewed.access_token)).toBe("401");
  const again = await clients[0]?.refresh(clientId, renewed.refresh_token);
  expect(again?.status).toBe(400);
});

test("A tag that is taken away on one server ends access on the others, with the next call and for the running one", async () => {
  const [one, two, three] = hubs;
  const user = await one.addUser("tagged@example.com", { tags: ["lab"] });
  const added = await one.cli(
    ...["row", "add", "fixture", "--label", "Lab", "--tag", "lab", "--json"],
    ...["--secret-env", "secret=FIXTURE_SECRET"],
  );
  const { id } = added.json<{ id: string }>();
  const execute = (hub: RunningHub, operation: string, params = {}) =>
    call(hub, user.token, "hub_execute", { tool_id: `conn:${id}/${operation}`, params });
  const running = execute(two, "wait");
  const find = () =>
    database.unsafe("select id from connector_runs where status = 'running' and row_label = 'Lab'");
  await waitFor(async () => (await find()).length === 1);
  await one.cli("user", "set", user.email, "--untag", "lab");
  for (const hub of [two, three])
    expect(await execute(hub, "greet", { name: "x" })).toBe("not_found");
  // The call that runs is cancelled at the next check of its right, a second after its start.
  expect(await running).toBe("not_found");
  expect(await find()).toBeEmpty();
});

nightlyTest(
  "A session that begins on a server with a wrong clock is valid on the others",
  async () => {
    expect(bases).toHaveLength(3);
    for (const begin of bases) {
      const browser = createBrowser();
      await signIn(browser, begin, ada);
      for (const base of bases) {
        expect((await browser.open(`${base}/profile`)).text).toContain(ada.email);
      }
    }
  },
);

nightlyTest("A code and its tokens are valid on servers with other clocks", async () => {
  expect(bases).toHaveLength(3);
  for (const [index, issuer] of bases.entries()) {
    const redeemer = createTestOAuthClient(bases[(index + 1) % 3] ?? issuer);
    const client = createTestOAuthClient(issuer);
    const clientId = await client.register();
    const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
    const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), ada);
    const code = new URL(back.url).searchParams.get("code") ?? "";
    const answer = await redeemer.redeem(clientId, code);
    expect([index, answer.status]).toEqual([index, 200]);
    const tokens = Object(await answer.json());
    for (const hub of hubs) expect(await call(hub, tokens.access_token)).toBe("success");
    expect((await redeemer.refresh(clientId, tokens.refresh_token)).status).toBe(200);
  }
});

test("A personal token ends at the same moment on every server", async () => {
  expect(hubs).toHaveLength(3);
  const user = await hubs[0].addUser("expiring@example.com");
  const expireIn = (ms: number) =>
    database.unsafe(
      `update personal_access_tokens set expires_at =
        (extract(epoch from clock_timestamp()) * 1000)::bigint + ${ms} where id = '${user.tokenId}'`,
    );
  await expireIn(minuteMs);
  for (const hub of hubs) expect(await call(hub, user.token)).toBe("success");
  await expireIn(-1_000);
  for (const hub of hubs) expect(await call(hub, user.token)).toBe("401");
});

nightlyTest("Wrong passwords count on servers with other clocks", async () => {
  const login = await addPasswordUser("guessed@example.com");
  const attempt = async (index: number, password: string) =>
    (await signIn(createBrowser(), bases[index % 3] ?? bases[0], { ...login, password })).status;
  for (let index = 0; index < 10; index += 1) expect(await attempt(index, "wrong")).toBe(401);
  for (let index = 0; index < 3; index += 1) expect(await attempt(index, login.password)).toBe(429);
});

nightlyTest(
  "A minute's calls of one user are the same through servers with other clocks",
  async () => {
    const startedAt = performance.now();
    const user = await hubs[0].addUser("skewed@example.com");
    const calls = Array.from({ length: 150 }, (_, index) =>
      call(hubs[index % 3] ?? hubs[0], user.token),
    );
    const admitted = (await Promise.all(calls)).filter((code) => code === "success").length;
    expect(admitted).toBeGreaterThanOrEqual(60);
    expect(admitted).toBeLessThanOrEqual(60 + Math.ceil((performance.now() - startedAt) / 1000));
  },
);

test("Servers with other clocks report heartbeats of one clock, and count each other as alive", async () => {
  const beats = await database.unsafe(
    `select abs(heartbeat_at - extract(epoch from clock_timestamp()) * 1000)::int as ago
      from instances where kind = 'serve'`,
  );
  expect(beats.length).toBe(3);
  for (const { ago } of beats) expect(ago).toBeLessThan(minuteMs);
});
