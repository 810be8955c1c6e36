/** What one call costs on PostgreSQL: the statements that the hub sends. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "../support/start-hub.ts";
import { startPostgres } from "./support/postgres-server.ts";
import { type StatementProxy, startStatementProxy } from "./support/statement-proxy.ts";

const main = join(import.meta.dirname, "../support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let proxy: StatementProxy;
let hub: RunningHub;
let user: TestUser;
let toolId: string;

beforeAll(async () => {
  const server = owned.use(await startPostgres());
  proxy = owned.use(await startStatementProxy(await server.createDatabase()));
  const env = {
    HUB_DATABASE_URL: proxy.url,
    HUB_ENC_KEY: "5a".repeat(32),
    FIXTURE_SECRET: "a-secret",
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

/** The statements of calls; those of periodic jobs may come at any time. */
function takeKinds(): string[] {
  const kinds = {
    authenticate: /from personal_access_tokens/,
    audit: /insert into connector_runs/,
    limits: /call_counts/,
    job: /"instances"|"run_cancellations"|"workflows"|"lease_instance"|last_used_at|transaction_turns|pg_locks|pg_try_advisory_lock|^begin|^commit/,
  };
  const toKind = (statement: string) =>
    Object.entries(kinds).find(([, pattern]) => pattern.test(statement))?.[0] ?? statement;
  return proxy
    .takeStatements()
    .map(toKind)
    .filter((kind) => kind !== "job");
}

test("A call is three statements: its token with the revision, its beginning, and its outcome", async () => {
  proxy.takeStatements();
  expect(await execute(user)).toBe(false);
  expect(takeKinds()).toEqual(["authenticate", "audit", "audit"]);
});

test("A hundred calls at once share the statements of the audit", async () => {
  const add = (name: string) => hub.addUser(`${name}@example.com`, { tags: ["ops"] });
  const users = await Promise.all(["bob", "cleo", "dan", "eve"].map(add));
  // The first call of each loads the rows, which the new users changed.
  await Promise.all(users.map(execute));
  proxy.takeStatements();
  const calls = users.flatMap((caller) => Array.from({ length: 25 }, () => execute(caller)));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([false]));
  const counts = Object.groupBy(takeKinds(), (kind) => kind);
  expect(Object.keys(counts).toSorted()).toEqual(["audit", "authenticate", "limits"]);
  expect(counts.limits?.length).toBeLessThan(100);
  expect(counts.authenticate).toHaveLength(100);
  expect(counts.audit?.length).toBeLessThan(100);
});
