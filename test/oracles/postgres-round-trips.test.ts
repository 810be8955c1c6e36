/** What one call costs on PostgreSQL: the statements that the hub sends. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "../support/start-hub.ts";
import { startDatabaseProxy } from "./support/database-proxy.ts";

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
/** What the hub has sent since the last look. */
const statements: string[] = [];
let hub: RunningHub;
let user: TestUser;
let toolId: string;

beforeAll(async () => {
  const server = owned.use(await startPostgres());
  const onStatement = (statement: string) => statements.push(statement);
  const proxy = owned.use(await startDatabaseProxy(await server.createDatabase(), { onStatement }));
  const env = {
    HUB_DATABASE_URL: proxy.url,
    HUB_ENC_KEY: "5a".repeat(32),
    FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R",
  };
  hub = owned.use(await startHub({ main, env, hasCallLimits: true }));
  user = await hub.addUser("ann@example.com", { tags: ["ops"] });
  const row = await hub.cli(
    "row",
    "add",
    "fixture",
    "--label",
    "Lab",
    "--tag",
    "ops",
    "--secret-env",
    "secret=FIXTURE_SECRET",
    "--json",
  );
  toolId = `conn:${row.json<{ id: string }>().id}/greet`;
  // The first call loads the rows.
  await execute(user);
});
afterAll(() => owned.disposeAsync());

/** Whether the call failed. */
async function execute(caller: TestUser): Promise<unknown> {
  const params = { name: "Ann" };
  const response = await postRpc(
    hub.url,
    caller.token,
    toToolCall("hub_execute", { tool_id: toolId, params }),
  );
  return JSON.parse(await response.text()).result?.isError ?? false;
}

/** An idle hub sends no statement more than once a second, so its jobs need longer for as many than a test may take. */
const callCount = 100;

const kinds = {
  /** Jobs end calls that wait, such as those of lost tokens. */
  jobs: /pending_calls/,
  authenticate: /from personal_access_tokens/,
  audit: /insert into connector_runs/,
  limits: /call_counts/,
};

/**
 * How often each kind of statement was sent. A statement that no pattern knows counts by its text. Those sent fewer
 * times than there are calls are left out: periodic jobs send theirs at any time.
 */
function takeCounts(): Record<string, number> {
  const toKind = (statement: string) =>
    Object.entries(kinds).find(([, pattern]) => pattern.test(statement))?.[0] ?? statement;
  const groups = Object.entries(Object.groupBy(statements.splice(0), toKind));
  const counts = groups.map(([kind, all = []]): [string, number] => [kind, all.length]);
  return Object.fromEntries(counts.filter(([, count]) => count >= callCount));
}

test("A call is three statements: its token with the revision, its beginning, and its outcome", async () => {
  statements.length = 0;
  for (let call = 0; call < callCount; call += 1) expect(await execute(user)).toBe(false);
  expect(takeCounts()).toEqual({ authenticate: callCount, audit: 2 * callCount });
});

test("A hundred calls at once share the statements of the limits and of the audit", async () => {
  const add = (name: string) => hub.addUser(`${name}@example.com`, { tags: ["ops"] });
  const users = await Promise.all(["bob", "cleo", "dan", "eve"].map(add));
  // The first call of each loads the rows, which the new users changed.
  await Promise.all(users.map(execute));
  statements.length = 0;
  const callers = Array.from({ length: callCount }, (_, index) => users[index % users.length]);
  const calls = callers.map((caller = user) => execute(caller));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([false]));
  expect(takeCounts()).toEqual({ authenticate: callCount });
});
