/** Several servers on one PostgreSQL database: what attackers and admins can do at once. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { SQL } from "bun";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hubs: RunningHub[];
let first: RunningHub;
let database: SQL;

beforeAll(async () => {
  const server = owned.use(await startPostgres());
  const url = await server.createDatabase();
  database = new SQL({ url, max: 1 });
  owned.defer(() => database.close());
  const env = {
    HUB_DATABASE_URL: url,
    HUB_ENC_KEY: "5a".repeat(32),
    HUB_TRUSTED_PROXIES: "127.0.0.1",
    FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R",
    HUB_USER_CALLS_PER_MINUTE: "60",
    HUB_ROW_CALLS_AT_ONCE: "5",
  };
  const open = async () => owned.use(await startHub({ main, env, hasCheapPasswords: true }));
  first = await open();
  hubs = [first, await open(), await open()];
});
afterAll(() => owned.disposeAsync());

const pick = (index: number): RunningHub => hubs[index % hubs.length] ?? first;

const readCookies = (response: Response) =>
  response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

type SignIn = { email: string; password: string; address: string };

/** The status of the answer to one sign-in by hand. */
async function signIn(hub: RunningHub, { email, password, address }: SignIn): Promise<number> {
  const headers = { accept: "text/html", "x-forwarded-for": address };
  const page = await fetch(`${hub.url}/auth/login`, { headers });
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const answer = await fetch(`${hub.url}/auth/login`, {
    method: "POST",
    headers: { ...headers, cookie: readCookies(page).join("; ") },
    redirect: "manual",
    body: new URLSearchParams({ csrf, email, password }),
  });
  return answer.status;
}

async function addPasswordUser(email: string): Promise<string> {
  const added = await first.cli("user", "add", email, "--password", "--json");
  return added.json<{ one_time_password: string }>().one_time_password;
}

const count = (statuses: readonly number[], wanted: number) =>
  statuses.filter((status) => status === wanted).length;

nightlyTest(
  "Sixty-four sign-ins at once from one network through three servers do not conflict",
  async () => {
    const people = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const email = `person${index}@example.com`;
        return { email, password: await addPasswordUser(email) };
      }),
    );
    const address = "198.51.100.7";
    const attempts = Array.from({ length: 64 }, (_, index) => {
      const person = people[index % people.length];
      return signIn(pick(index), { email: "", password: "", ...person, address });
    });
    const statuses = await Promise.all(attempts);
    // Those of the full queue of one network are refused.
    expect(statuses.filter((status) => status !== 303 && status !== 429)).toEqual([]);
    expect(count(statuses, 303)).toBeGreaterThan(0);
  },
);

test("Wrong passwords through three servers at once count exactly", async () => {
  await addPasswordUser("victim@example.com");
  const guess = (index: number) =>
    signIn(pick(index), {
      email: "victim@example.com",
      password: "wrong",
      address: "203.0.113.9",
    });
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(index)));
  const tried = count(statuses, 401);
  expect(count(statuses, 429)).toBe(30 - tried);
  // A place in the queue of one network may be taken, so fewer may have been compared.
  expect(tried).toBeLessThanOrEqual(10);
  for (let index = tried; index < 10; index += 1) expect(await guess(index)).toBe(401);
  expect(await guess(0)).toBe(429);
});

async function addRow(label: string, tag: string): Promise<string> {
  const args = ["row", "add", "fixture", "--label", label, "--tag", tag, "--json"];
  const added = await first.cli(...args, "--secret-env", "secret=FIXTURE_SECRET");
  return added.json<{ id: string }>().id;
}

/** The code of a call's failure, or "success". */
async function call(
  hub: RunningHub,
  user: TestUser,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const response = await postRpc(hub.url, user.token, toToolCall(name, args));
  if (response.status !== 200) return String(response.status);
  const text = await response.text();
  // A call that reports progress is answered by a stream of events.
  const { result } = JSON.parse(text.split(/^data: /m).at(-1) ?? "");
  return result.isError ? JSON.parse(result.content[0].text).code : "success";
}

test("A burst of one user's calls through three servers gets the calls of one minute", async () => {
  const startedAt = performance.now();
  const user = await first.addUser("burst@example.com");
  const calls = Array.from({ length: 300 }, (_, index) => call(pick(index), user, "hub_info"));
  const codes = await Promise.all(calls);
  const admitted = codes.filter((code) => code === "success").length;
  const refilled = Math.ceil((performance.now() - startedAt) / 1000);
  expect(admitted).toBeGreaterThanOrEqual(60);
  expect(admitted).toBeLessThanOrEqual(60 + refilled);
  expect(new Set(codes)).toEqual(new Set(["success", "rate_limited"]));
});

test("A burst of calls to one row through three servers starts the allowed number", async () => {
  const user = await first.addUser("parallel@example.com", { tags: ["slow"] });
  const toolId = `conn:${await addRow("Slow", "slow")}/wait`;
  let refused = 0;
  const enough = Promise.withResolvers<void>();
  const calls = Array.from({ length: 30 }, async (_, index) => {
    const args = { tool_id: toolId };
    const code = await call(pick(index), user, "hub_execute", args);
    if (code === "rate_limited") refused += 1;
    if (refused === 25) enough.resolve();
    return code;
  });
  await enough.promise;
  const running = await database.unsafe("select id from connector_runs where status = 'running'");
  expect(running).toHaveLength(5);
  await database.unsafe(
    "insert into run_cancellations select id, 'over', 0 from connector_runs where status = 'running'",
  );
  const codes = await Promise.all(calls);
  expect(codes.filter((code) => code !== "rate_limited")).toEqual(Array(5).fill("cancelled"));
  const [cancelled, denied] = await database.unsafe(
    "select status, count(*)::int as calls from connector_runs where operation_key = 'wait' group by 1 order by 1",
  );
  expect(cancelled).toEqual({ status: "cancelled", calls: 5 });
  // A refused call has a record of its own, or is counted with others if its server refused one before it began.
  expect(denied.status).toBe("denied");
  expect(denied.calls).toBeWithin(1, 26);
  // Ended calls free capacity on every server. A poll by calls would use up the user's calls.
  const held = "select 1 from call_counts where key like 'row:%' and holders <> '{}'";
  await waitFor(async () => (await database.unsafe(held)).length === 0);
  const greet = { tool_id: toolId.replace("/wait", "/greet"), params: { name: "Ada" } };
  expect(await call(pick(1), user, "hub_execute", greet)).toBe("success");
});
