/**
 * Rows that an admin connects by OAuth. Protects: only that admin's browser connects the row, its tokens leave
 * the hub for its MCP server alone, and many servers refresh them once.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type AdminBrowser, openAdminBrowser } from "./support/connect-row.ts";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { findFreePort } from "./support/free-port.ts";
import { type GuardedMcpServer, startGuardedMcpServer } from "./support/guarded-mcp-server.ts";
import { type OAuthFixture, openOAuthFixture, type UserLogin } from "./support/oauth-fixture.ts";
import { queryDatabase } from "./support/query-database.ts";
import { readDatabaseParts } from "./support/read-database-parts.ts";
import { findSecrets } from "./support/secret-forms.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
/** The hub with the rows. Its host is not `localhost`, because cookies do not differ by port. */
let own: OAuthFixture;
let base: string;
/** Another process on the same database. */
let second: OAuthFixture;
let server: GuardedMcpServer;
let ada: UserLogin;
let admin: AdminBrowser;
let rowId: string;

beforeAll(async () => {
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  server = owned.use(await startGuardedMcpServer());
  const env = { HUB_BASE_URL: base, HUB_OUTBOUND_ALLOW: server.allow, HUB_LOG_LEVEL: "trace" };
  own = owned.use(await openOAuthFixture({ env: { ...env, HUB_PORT: `${port}` } }));
  const { dataDir } = own.hub;
  const other = { ...env, HUB_PORT: String(await findFreePort()) };
  second = owned.use(await openOAuthFixture({ dataDir, env: other }));
  ada = await own.addUserWithPassword("ada@example.com", { admin: true });
  admin = await openAdminBrowser(base, ada);
  rowId = await addRow(server.url);
});
afterAll(() => owned.disposeAsync());

async function addRow(url: string): Promise<string> {
  const added = await own.hub.cli(
    ...["row", "add", "mcp", "--label", `Row ${crypto.randomUUID()}`, "--set", `url=${url}`],
    ...["--set", "auth_mode=oauth", "--tag", "everyone", "--json"],
  );
  return added.json<{ id: string }>().id;
}

const rowPage = (id: string) => `${base}/manager/connectors/mcp/${id}?tab=settings`;

async function connect(): Promise<void> {
  const page = await admin.browser.open(await admin.begin(rowId));
  expect(page.url).toBe(rowPage(rowId));
}

async function showConnection(id = rowId): Promise<Record<string, unknown>> {
  const { body } = await admin.call("GET", `/rows/${id}/connection`);
  return Object(body.connection);
}

async function callTool(name: string, { hub } = own, id = rowId) {
  await using client = await connectHttp(hub.url, own.hub.adminToken());
  const call = { tool_id: `conn:${id}/${name}`, params: {} };
  const { isError, value } = await client.call("hub_execute", call);
  return { isError, text: JSON.stringify(value) };
}

/** The row's tokens are refreshed with the next call. */
function endTokens(): void {
  queryDatabase(own.hub.dataDir, "update row_connections set renew_at = 0");
}

test("A row is connected in a browser; its operations are discovered and called", async () => {
  expect(await showConnection()).toMatchObject({ state: "not_connected" });
  const early = await admin.call("POST", `/rows/${rowId}/discover`, {});
  expect(early).toMatchObject({ status: 409, body: { code: "needs_setup" } });
  expect(early.body.error).toContain(rowPage(rowId));
  await connect();
  expect(await showConnection()).toMatchObject({
    state: "connected",
    issuer: server.issuer,
    address: server.url,
    renews: true,
    scopes: expect.arrayContaining(["tools"]),
  });
  await own.hub.cli("bridge", "discover", rowId);
  await own.hub.cli("bridge", "approve", rowId, "--all");
  const { isError, text } = await callTool("echo");
  expect([isError, text]).toEqual([false, expect.stringContaining("You sent hub_enc_")]);
});

test("A call that needs another scope says so, and where an admin can ask for it", async () => {
  const { isError, text } = await callTool("admin");
  expect([isError, text]).toEqual([true, expect.stringContaining("the scopes tools admin")]);
  expect(text).toContain(rowPage(rowId));
});

test("Calls over two servers at once refresh ended tokens once", async () => {
  for (const round of [1, 2]) {
    endTokens();
    const calls = [own, second, own, second].map((at) => callTool("echo", at));
    expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual(
      [1, 2, 3, 4].map(() => false),
    );
    expect(server.refreshes()).toBe(round);
  }
});

describe("the answer of the authorization server", () => {
  const callback = (answer: Record<string, string>) =>
    `${base}/auth/connect/callback?${new URLSearchParams(answer)}`;

  test("It is refused with a wrong state, in another session, and the second time", async () => {
    const before = await showConnection();
    const wrong = await admin.browser.open(callback({ code: "c", state: "wrong" }));
    expect([wrong.status, wrong.text]).toEqual([403, expect.stringContaining("not begun in this")]);

    const stateOf = (url: string) => new URL(url).searchParams.get("state") ?? "";
    const other = await openAdminBrowser(base, ada);
    const begun = stateOf(await admin.begin(rowId));
    const foreign = await other.browser.open(callback({ code: "c", state: begun }));
    expect(foreign.status).toBe(403);
    // It is used up, also for the browser that began it.
    const late = await admin.browser.open(callback({ code: "c", state: begun }));
    expect(late.status).toBe(403);
    const expired = stateOf(await admin.begin(rowId));
    queryDatabase(own.hub.dataDir, "update row_connects set expires_at = 0");
    expect((await admin.browser.open(callback({ code: "c", state: expired }))).status).toBe(403);
    expect(await showConnection()).toEqual(before);
  });

  test("It is refused from another issuer, and without a session", async () => {
    const state = new URL(await admin.begin(rowId)).searchParams.get("state") ?? "";
    const mixed = callback({ code: "c", state, iss: "https://evil.example" });
    const page = await admin.browser.open(mixed);
    expect([page.status, page.text]).toEqual([
      502,
      expect.stringContaining("another authorization server"),
    ]);
    const stranger = await fetch(callback({ code: "c", state: "x" }), { redirect: "manual" });
    expect(stranger.status).toBe(403);
    expect(await showConnection()).toMatchObject({ state: "connected" });
  });
});

test("A refusal of the refresh is said in the call, by the API and by the command line", async () => {
  server.revokeAll();
  endTokens();
  const { isError, text } = await callTool("echo");
  expect([isError, text]).toEqual([true, expect.stringContaining("Ask an admin to connect it")]);
  expect(text).toContain(rowPage(rowId));
  expect(await showConnection()).toMatchObject({ state: "lost", reason: expect.any(String) });
  const shown = await own.hub.cli("row", "show", rowId);
  expect(shown.stdout).toContain("must be connected again");
  await connect();
  expect((await callTool("echo")).isError).toBe(false);
});

test("A row whose address was changed sends no token there, and a copy has none", async () => {
  const { body } = await admin.call("POST", `/rows/${rowId}/duplicate`, {});
  expect(await showConnection(String(body.id))).toMatchObject({ state: "not_connected" });
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
  await own.hub.cli("row", "set", rowId, "--set", `url=http://127.0.0.1:${thief.port}/mcp`);
  expect((await callTool("echo")).text).toContain("address has changed");
  expect(await showConnection()).toMatchObject({ state: "lost" });
  await own.hub.cli("row", "set", rowId, "--set", `url=${server.url}`);
  expect(seen).toEqual([]);
  expect((await callTool("echo")).isError).toBe(false);
});

test("The command line names the page, and disconnects a row and ends its tokens", async () => {
  const shown = await own.hub.cli("bridge", "connect", rowId, "--json");
  expect(shown.json<object>()).toMatchObject({
    page: rowPage(rowId),
    connection: { state: "connected" },
  });
  const before = server.revocations();
  const done = await own.hub.cli("bridge", "disconnect", rowId, "--json");
  expect(done.json<object>()).toMatchObject({ revoked: true });
  expect(server.revocations()).toBe(before + 1);
  for (const at of [own, second]) {
    expect((await callTool("echo", at)).text).toContain("not connected");
  }
  const count = "select count(*) as count from row_connections";
  const [counted] = queryDatabase<{ count: number | string }>(own.hub.dataDir, count);
  expect(Number(counted?.count)).toBe(0);
});

test("No token is in the database, in files, in logs or in what calls answered", async () => {
  await connect();
  const { text } = await callTool("echo");
  const { dataDir } = own.hub;
  const parts = readDatabaseParts(dataDir);
  for (const entry of await readdir(dataDir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    parts.push({ name: entry.name, bytes: await Bun.file(path).bytes() });
  }
  const changes = await admin.call("GET", `/rows/${rowId}/runs`);
  const outputs = {
    text,
    changes: JSON.stringify(changes),
    log: own.hub.stderr() + own.hub.stdout() + second.hub.stderr(),
  };
  for (const [name, output] of Object.entries(outputs)) {
    parts.push({ name, bytes: Buffer.from(output) });
  }
  expect(server.tokens.size).toBeGreaterThan(6);
  const found = parts.flatMap(({ name, bytes }) =>
    findSecrets(bytes, server.tokens).map((secret) => `${name}: ${secret}`),
  );
  expect(found).toEqual([]);
});
