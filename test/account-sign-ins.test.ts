/**
 * Users connect own accounts by OAuth. Protects: only the browser and the user that began a sign-in finish it, once and for its row;
 * tokens go to the hosts that their user was shown, and to calls of their user alone; what is removed is ended outside.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { serveProvider } from "@hub/server/bridges/mcp/oauth/testing/serve-provider.ts";
import { type AdminBrowser, openAdminBrowser } from "./support/connect-row.ts";
import { findFreePort } from "./support/free-port.ts";
import { type GuardedMcpServer, startGuardedMcpServer } from "./support/guarded-mcp-server.ts";
import { type OAuthFixture, openOAuthFixture, type UserLogin } from "./support/oauth-fixture.ts";
import { queryDatabase } from "./support/query-database.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

type Person = UserLogin & { browser: AdminBrowser; token: string };

const owned = new AsyncDisposableStack();
let own: OAuthFixture;
let base: string;
/** Another process on the same database. */
let second: OAuthFixture;
let server: GuardedMcpServer;
let provider: ReturnType<typeof serveProvider>;
let ann: Person;
let eve: Person;
let admin: Person;
/** Of the MCP server, and of the API with given addresses. */
let mcpRow: string;
let apiRow: string;

beforeAll(async () => {
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  server = owned.use(await startGuardedMcpServer());
  provider = serveProvider("grant deleting");
  owned.defer(() => provider.close());
  const env = { HUB_BASE_URL: base, HUB_OUTBOUND_ALLOW: server.allow };
  own = owned.use(await openOAuthFixture({ isHere: true, env: { ...env, HUB_PORT: `${port}` } }));
  const { dataDir } = own.hub;
  const other = { ...env, HUB_PORT: String(await findFreePort()) };
  second = owned.use(await openOAuthFixture({ dataDir, env: other }));
  admin = await addPerson("ada@example.com", true);
  ann = await addPerson("ann@example.com");
  eve = await addPerson("eve@example.com");
  mcpRow = await addRow("mcp", { url: server.url, auth_mode: "oauth" });
  const { client_secret: secret, ...values } = provider.values;
  apiRow = await addRow("http", values, ["--secret-stdin", "client_secret"], secret);
});
afterAll(() => owned.disposeAsync());

async function addPerson(email: string, isAdmin = false): Promise<Person> {
  const login = await own.addUserWithPassword(email, { admin: isAdmin });
  const made = await own.hub.cli(
    ...["token", "create", "--user", email, "--name", "client", "--json"],
  );
  const { token } = made.json<{ token: string }>();
  return { ...login, browser: await openAdminBrowser(base, login), token };
}

async function addRow(
  kind: string,
  values: Record<string, string>,
  more: string[] = [],
  stdin = "",
): Promise<string> {
  const set = Object.entries(values).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const args = ["row", "add", kind, "--label", `${kind} row`, "--tag", "everyone", ...set];
  const added = await own.hub.tryCli([...args, "--access", "own", ...more, "--json"], { stdin });
  if (added.exitCode !== 0) throw new Error(added.stderr);
  return added.json<{ id: string }>().id;
}

type Shown = { accounts: { id: string; row_id: string; label: string; problem: string | null }[] };

async function show({
  browser,
}: Person): Promise<Shown & { rows: { id: string; hosts: string[] }[] }> {
  return Object((await browser.call("GET", "/accounts")).body);
}

/** Begins a sign-in with the hosts that the page shows. */
async function begin(person: Person, row: string, label = "default"): Promise<string> {
  const { rows } = await show(person);
  const hosts = rows.find(({ id }) => id === row)?.hosts ?? [];
  const { status, body } = await person.browser.call("POST", "/accounts/sign-in", {
    row,
    label,
    hosts,
  });
  if (status !== 200) throw new Error(`sign-in: ${status} ${JSON.stringify(body)}`);
  return String(body.authorize_url);
}

async function connect(person: Person, row: string, label?: string): Promise<void> {
  const page = await person.browser.browser.open(await begin(person, row, label));
  expect(page.url).toBe(`${base}/profile/accounts?row=${row}`);
}

async function call(
  { token }: Person,
  row: string,
  operation: string,
  at: { hub: { url: string } } = own,
) {
  const params = operation === "get" ? { path: "/me" } : {};
  const args = { tool_id: `conn:${row}/${operation}`, params };
  const sent = await postRpc(at.hub.url, token, toToolCall("hub_execute", args));
  const { result } = Object(await sent.json());
  return { isError: result.isError === true, text: String(result.content[0].text) };
}

const stateOf = (url: string) => new URL(url).searchParams.get("state") ?? "";

test("A call without an account leads to the page, and works after the sign-in, on both servers", async () => {
  const early = await call(ann, apiRow, "get");
  expect([early.isError, early.text]).toEqual([true, expect.stringContaining("needs_account")]);
  expect(early.text).toContain(`/profile/accounts?row=${apiRow}`);
  await connect(ann, apiRow);
  for (const at of [own, second]) {
    const { isError, text } = await call(ann, apiRow, "get", at);
    expect([isError, text]).toEqual([false, expect.stringContaining("hub_enc_")]);
  }
  expect(provider.seen.every((sent) => sent.startsWith("Bearer access-"))).toBe(true);
});

test("A token that the API refuses is renewed for the next call", async () => {
  provider.endAccess();
  expect((await call(ann, apiRow, "get")).isError).toBe(true);
  expect((await call(ann, apiRow, "get")).isError).toBe(false);
});

test("An MCP server's row takes each user's own sign-in, with one client of the hub for all", async () => {
  await connect(admin, mcpRow);
  const discovered = await admin.browser.call("POST", `/rows/${mcpRow}/discover`, {});
  expect(discovered.status).toBe(200);
  await own.hub.cli("bridge", "approve", mcpRow, "--all");
  expect((await call(ann, mcpRow, "echo")).text).toContain("needs_account");
  await connect(ann, mcpRow);
  expect((await call(ann, mcpRow, "echo")).isError).toBe(false);
  const clients = "select count(*) as count from row_clients where sealed is not null";
  expect(Number(queryDatabase<{ count: number }>(own.hub.dataDir, clients)[0]?.count)).toBe(1);
});

test("50 calls at once over two servers refresh an ended token once", async () => {
  const before = provider.refreshes();
  queryDatabase(own.hub.dataDir, "update user_accounts set renew_at = 0");
  const calls = Array.from({ length: 50 }, (_, at) =>
    call(ann, apiRow, "get", [own, second][at % 2]),
  );
  expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
  expect(provider.refreshes()).toBe(before + 1);
});

test("Others, admins included, neither see nor use the account", async () => {
  for (const person of [eve, admin]) {
    const { accounts } = await show(person);
    expect(accounts.filter(({ row_id }) => row_id === apiRow)).toEqual([]);
    expect((await call(person, apiRow, "get")).text).toContain("needs_account");
    const [account] = (await show(ann)).accounts;
    const removed = await person.browser.call("DELETE", `/accounts/${account?.id}`);
    expect(removed.status).toBe(404);
  }
  const shown = await admin.browser.call("GET", `/rows/${apiRow}/connection`);
  expect(shown.body.accounts).toEqual({ users: 1, client_problem: null });
});

describe("the answer of the authorization server", () => {
  const back = (row: string | null, answer: Record<string, string>) =>
    `${base}/auth/connect/callback${row === null ? "" : `/${row}`}?${new URLSearchParams(answer)}`;

  test("It is refused in another browser, of another user, without a session, and the second time", async () => {
    const before = (await show(ann)).accounts;
    const other = await openAdminBrowser(base, ann);
    for (const { browser } of [other, eve.browser, admin.browser]) {
      const state = stateOf(await begin(ann, apiRow, "new"));
      const foreign = await browser.open(back(apiRow, { code: "code-1", state }));
      expect([foreign.status, foreign.text]).toEqual([
        403,
        expect.stringContaining("not begun in this browser"),
      ]);
      // It is used up, also for the browser that began it.
      const late = await ann.browser.browser.open(back(apiRow, { code: "code-1", state }));
      expect(late.status).toBe(403);
    }
    const state = stateOf(await begin(ann, apiRow, "new"));
    const stranger = await fetch(back(apiRow, { code: "code-1", state }), { redirect: "manual" });
    expect(stranger.status).toBe(403);
    const expired = stateOf(await begin(ann, apiRow, "new"));
    queryDatabase(own.hub.dataDir, "update account_connects set expires_at = 0");
    const late = await ann.browser.browser.open(back(apiRow, { code: "code-1", state: expired }));
    expect(late.status).toBe(403);
    expect((await show(ann)).accounts).toEqual(before);
    expect((await show(eve)).accounts).toEqual([]);
  });

  test("It is refused from another issuer, and at the address of another row", async () => {
    const asked = server.tokens.size;
    const mixed = stateOf(await begin(ann, mcpRow, "mixed"));
    const page = await ann.browser.browser.open(
      back(null, { code: "c", state: mixed, iss: "https://evil.example" }),
    );
    expect([page.status, page.text]).toEqual([
      502,
      expect.stringContaining("another authorization server"),
    ]);
    for (const row of [mcpRow, null]) {
      const state = stateOf(await begin(ann, apiRow, "mixed"));
      const wrong = await ann.browser.browser.open(back(row, { code: "code-1", state }));
      expect(wrong.status).toBe(403);
    }
    expect(server.tokens.size).toBe(asked);
    expect((await show(ann)).accounts.some(({ label }) => label === "mixed")).toBe(false);
  });

  test("It is refused when the row has been pointed elsewhere meanwhile", async () => {
    const url = await begin(ann, apiRow, "moved");
    await own.hub.cli("row", "set", apiRow, "--set", "base_url=https://other.example/api");
    const page = await ann.browser.browser.open(url);
    expect([page.status, page.text]).toEqual([409, expect.stringContaining("other.example")]);
    await own.hub.cli("row", "set", apiRow, "--set", `base_url=${provider.values.base_url}`);
  });

  test("A token cannot begin a sign-in", async () => {
    const named = ["--user", ann.email, "--name", "manage", "--scope", "manage", "--json"];
    const { token } = (await own.hub.cli("token", "create", ...named)).json<{ token: string }>();
    const sent = await fetch(`${base}/manager/api/accounts/sign-in`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ row: apiRow, hosts: [] }),
    });
    expect([sent.status, await sent.text()]).toEqual([
      403,
      expect.stringContaining("Sign in and use /profile/accounts"),
    ]);
  });
});

test("A row that leads to another host sends no token there, and asks each user again", async () => {
  const seen: (string | null)[] = [];
  const thief = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(req) {
      seen.push(req.headers.get("authorization"));
      return new Response(null, { status: 401 });
    },
  });
  owned.defer(() => thief.stop(true));
  const addresses = [
    `base_url=http://127.0.0.1:${thief.port}/api`,
    `token_url=http://127.0.0.1:${thief.port}/token`,
  ];
  for (const address of addresses) {
    const [key = ""] = address.split("=");
    const before = Object(provider.values)[key];
    await own.hub.cli("row", "set", apiRow, "--set", address);
    queryDatabase(own.hub.dataDir, "update user_accounts set renew_at = 0");
    const { isError, text } = await call(ann, apiRow, "get");
    expect([isError, text]).toEqual([true, expect.stringContaining("needs_account")]);
    expect((await show(ann)).accounts.find(({ row_id }) => row_id === apiRow)?.problem).toContain(
      "now leads to",
    );
    await own.hub.cli("row", "set", apiRow, "--set", `${key}=${before}`);
  }
  expect(seen).toEqual([]);
  expect((await call(ann, apiRow, "get")).isError).toBe(false);
});

test("One provider that is down leaves the accounts of all others as they are", async () => {
  provider.fail(true);
  queryDatabase(
    own.hub.dataDir,
    "update user_accounts set renew_at = 0, expires_at = 1 where kind = 'oauth'",
  );
  const failed = await call(ann, apiRow, "get");
  expect([failed.isError, failed.text]).toEqual([
    true,
    expect.stringContaining("could not be renewed"),
  ]);
  expect((await call(ann, mcpRow, "echo")).isError).toBe(false);
  provider.fail(false);
  expect((await show(ann)).accounts.map(({ problem }) => problem)).toEqual([null, null]);
  await waitFor(async () => !(await call(ann, apiRow, "get")).isError);
});

test("A server killed between the provider's answer and its write asks the user once, and never loops", async () => {
  queryDatabase(
    own.hub.dataDir,
    "update user_accounts set renew_at = 0, expires_at = 1 where kind = 'oauth'",
  );
  const port = await findFreePort();
  const env = { HUB_BASE_URL: base, HUB_OUTBOUND_ALLOW: server.allow, HUB_PORT: `${port}` };
  await using third = await openOAuthFixture({ dataDir: own.hub.dataDir, env });
  provider.onTokens(() => third.hub.kill());
  const before = provider.tokenRequests();
  const lost = await call(ann, apiRow, "get", third).catch(() => null);
  provider.onTokens(null);
  expect([lost, provider.tokenRequests()]).toEqual([null, before + 1]);
  // Its right to refresh ends by time.
  queryDatabase(
    own.hub.dataDir,
    "update user_accounts set refresh_until = 0 where refresh_id is not null",
  );
  for (const at of [own, second, own]) {
    expect((await call(ann, apiRow, "get", at)).text).toContain("needs_account");
  }
  expect(provider.tokenRequests()).toBe(before + 2);
  await connect(ann, apiRow);
  expect((await call(ann, apiRow, "get")).isError).toBe(false);
});

test("A disabled user's grants are ended outside, and the account is gone", async () => {
  const revoked = server.revocations();
  await own.hub.cli("user", "disable", ann.email);
  const left = "select count(*) as count from account_endings";
  await waitFor(
    async () => Number(queryDatabase<{ count: number }>(own.hub.dataDir, left)[0]?.count) === 0,
  );
  expect(provider.isGrantAlive()).toBe(false);
  expect(server.revocations()).toBe(revoked + 1);
});
