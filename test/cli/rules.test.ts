/** Rules that ask before acting, set by commands beside a running hub, and the calls of its clients. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  const main = join(import.meta.dirname, "../support/fixture-hub.ts");
  hub = owned.use(await startHub({ main, env: { FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R" } }));
});
afterAll(() => owned.disposeAsync());

/** A row, and a user whose client is connected. */
async function arrange(name: string) {
  const user = await hub.addUser(`${name}@example.com`, { tags: [name] });
  const args = ["row", "add", "fixture", "--label", name, "--tag", name, "--json"];
  const added = await hub.cli(...args, "--secret-env", "secret=FIXTURE_SECRET");
  const { id } = added.json<{ id: string }>();
  const client = await connectHttp(hub.url, user.token);
  const greet = async () => {
    const { isError, value } = await client.execute(`conn:${id}/greet`, { name: "Ada" });
    return isError ? String(value.code) : "success";
  };
  return { id, user, greet, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

const rule = (...args: string[]) => hub.cli("rule", ...args);

test("A rule of the command line holds from the next call on, and ends with the next one", async () => {
  await using row = await arrange("next");
  expect(await row.greet()).toBe("success");
  const set = await rule("set", "next", "--asks", "always", "--sentence", "Greetings are public.");
  expect(set.stdout).toContain('"next": Asks the caller about every call.');
  expect(await row.greet()).toBe("approval_required");
  await rule("set", "next", "greet", "--asks", "never");
  expect(await row.greet()).toBe("success");
  expect((await rule("show", "next")).stdout).toContain("Never asks.");
  expect((await rule("delete", "next", "greet")).stdout).toContain("The rule of greet is removed.");
  expect(await row.greet()).toBe("approval_required");
  await rule("set", "next", "--asks", "always", "--except-user", row.user.email);
  expect(await row.greet()).toBe("success");
  expect((await rule("list")).stdout).toContain(`except of ${row.user.email}`);
  await rule("set", "next", "--asks", "always", "--except-tag", "spared");
  expect(await row.greet()).toBe("approval_required");
  await hub.cli("user", "set", row.user.email, "--tag", "spared");
  expect(await row.greet()).toBe("success");
  await rule("delete", "next");
  await hub.cli("user", "set", row.user.email, "--untag", "spared");
  expect(await row.greet()).toBe("success");
});

test("The first calls of an hour are free, are counted with their records, and the next one is asked about", async () => {
  await using row = await arrange("free");
  await rule("set", "free", "--asks", "always", "--free", "2");
  const outcomes = await Promise.all([row.greet(), row.greet(), row.greet(), row.greet()]);
  expect(outcomes.toSorted()).toEqual([
    "approval_required",
    "approval_required",
    "success",
    "success",
  ]);
  // No other test has free calls.
  const counted = queryDatabase(hub.dataDir, "select uses from call_rule_uses");
  expect(counted).toEqual([{ uses: 2 }]);
});

test("An explanation names the rule that asks about a recorded call, and the condition that fits", async () => {
  await using row = await arrange("explained");
  await rule("set", "explained", "--asks", "always", "--name", "Greetings");
  expect(await row.greet()).toBe("approval_required");
  const runs = await hub.cli("runs", "--row", "explained", "--json");
  const [run] = runs.json<Array<{ id: string; status: string }>>();
  expect(run?.status).toBe("denied");
  const explained = await rule("explain", String(run?.id), "--json");
  expect(explained.json()).toMatchObject({
    run_id: run?.id,
    operation: "greet",
    asked: { state: "open", name: "Greetings", is_current: true },
    today: [{ name: "Greetings", scope: "row", outcome: "asks" }],
  });
  await rule("set", "explained", "--asks", "destructive", "--name", "Greetings");
  const after = await rule("explain", String(run?.id));
  expect(after.stdout).toContain("which has changed since");
  expect(after.stdout).toContain("The operation is not described as destructive.");
});

test("A rule that contradicts itself is refused with what to change", async () => {
  await using row = await arrange("refused");
  const args = ["rule", "set", row.id, "--asks", "always", "--confirm", "client"];
  const refused = await hub.tryCli([...args, "--decided-by", "leads"]);
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain("confirm is `page` if users with a tag decide");
  const without = await hub.tryCli(["rule", "set", row.id]);
  expect(without.stderr).toContain("--asks always, destructive or never");
});

test("A call that a rule asks about is listed and shown with the address of its page, and no command decides it", async () => {
  await using row = await arrange("shown");
  await rule("set", "shown", "--asks", "always", "--decided-by", "leads");
  expect(await row.greet()).toBe("approval_required");
  const listed = await hub.cli("approval", "list", "--json");
  const calls = listed.json<Array<{ id: string; user: string }>>();
  const found = calls.find(({ user }) => user === row.user.email);
  const id = String(found?.id);
  const shown = await hub.cli("approval", "show", id.slice(0, 8));
  expect(shown.stdout).toContain(`/approvals/calls/${id}`);
  expect(shown.stdout).toContain('{"name":"Ada"}');
  expect(shown.stdout).toContain("tag leads");
  for (const verb of ["approve", "deny"]) {
    expect((await hub.tryCli(["approval", verb, id])).exitCode).not.toBe(0);
  }
  expect((await hub.tryCli(["approval", "show", "ffffffff"])).stderr).toContain("that waits");
});

test("A call that waits for an account is shown with what its user must do, and with no page to decide on", async () => {
  const user = await hub.addUser("accountless@example.com", { tags: ["accountless"] });
  const values = ["--set", "base_url=http://127.0.0.1:9/", "--set", "auth_mode=bearer"];
  const args = ["row", "add", "http", "--label", "accountless", "--tag", "accountless", ...values];
  const added = await hub.cli(...args, "--access", "own", "--json");
  await using client = await connectHttp(hub.url, user.token);
  const toolId = `conn:${added.json<{ id: string }>().id}/get`;
  const { value } = await client.execute(toolId, { path: "/me" });
  expect(value.code).toBe("needs_account");
  const shown = await hub.cli("approval", "show", String(value.pending_id));
  expect(shown.stdout).toContain(`${user.email} must connect an account on the page "Accounts"`);
  expect(shown.stdout).not.toContain("to decide on");
});
