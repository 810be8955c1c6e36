/** Each connector whose rows sign in by OAuth uses the account of the user who calls: a plugin in its own process, and a document's API. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { serveProvider } from "@hub/server/bridges/mcp/oauth/testing/serve-provider.ts";
import { createBrowser } from "./support/browser.ts";
import { type CodehostHub, startCodehostHub } from "./support/codehost/codehost-hub.ts";
import { type AdminBrowser, openAdminBrowser } from "./support/connect-row.ts";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { findFreePort } from "./support/free-port.ts";
import { signIn } from "./support/oauth-fixture.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
const provider = serveProvider("grant deleting");
const origin = new URL(provider.values.base_url).origin;
const password = "correct horse battery staple";
let base: string;
let fixture: CodehostHub;
let ann: AdminBrowser;
let token: string;

beforeAll(async () => {
  owned.defer(() => provider.close());
  const port = await findFreePort();
  base = `http://127.0.0.1:${port}`;
  fixture = owned.use(await startCodehostHub({ HUB_BASE_URL: base, HUB_PORT: `${port}` }));
  const { cli } = fixture.hub;
  const made = await cli("user", "add", "ann@example.com", "--admin", "--password", "--json");
  const first = made.json<{ one_time_password: string }>().one_time_password;
  const browser = createBrowser();
  await signIn(browser, base, { email: "ann@example.com", password: first });
  const page = await browser.open(`${base}/auth/password`);
  await browser.submit(page, { new_password: password, repeated: password });
  ann = await openAdminBrowser(base, { email: "ann@example.com", password });
  const created = await cli(
    "token",
    "create",
    "--user",
    "ann@example.com",
    "--name",
    "c",
    "--json",
  );
  token = created.json<{ token: string }>().token;
});
afterAll(() => owned.disposeAsync());

async function addRow(connector: string, values: Record<string, string>): Promise<string> {
  const body = { connector, label: connector, tags: ["everyone"], access: "own", values };
  const { status, body: row } = await ann.call("POST", "/rows", body);
  if (status !== 201) throw new Error(JSON.stringify(row));
  return String(row.id);
}

async function connect(row: string): Promise<void> {
  const { body } = await ann.call("GET", "/accounts");
  const rows = body.rows as { id: string; hosts: string[] }[];
  const hosts = rows.find(({ id }) => id === row)?.hosts ?? [];
  const begun = await ann.call("POST", "/accounts/sign-in", { row, hosts });
  const page = await ann.browser.open(String(begun.body.authorize_url));
  expect(page.url).toBe(`${base}/profile/accounts?row=${row}`);
}

async function call(row: string, operation: string) {
  await using client = await connectHttp(fixture.hub.url, token);
  const { isError, value } = await client.call("hub_execute", {
    tool_id: `conn:${row}/${operation}`,
    params: {},
  });
  return { isError, text: JSON.stringify(value) };
}

/** What the API got since the last call. */
const takeSeen = () => provider.seen.splice(0);

test("The plugin codehost", async () => {
  const { client_id, client_secret, authorize_url, token_url, revoke_url } = provider.values;
  const app = { client_id, client_secret, authorize_url, token_url, revoke_url: revoke_url ?? "" };
  const row = await addRow("codehost", {
    base_url: `${origin}/api/v3`,
    auth_mode: "oauth",
    ...app,
  });
  expect((await call(row, "get_me")).text).toContain("needs_account");
  expect(takeSeen()).toEqual([]);
  await connect(row);
  const { isError, text } = await call(row, "get_me");
  expect([isError, text]).toEqual([false, expect.stringContaining("ann")]);
  expect(text).not.toContain("access-");
  expect(new Set(takeSeen())).toEqual(new Set(["Bearer access-1"]));
});

test("An API with a document", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "Tracker", version: "1" },
    paths: { "/me": { get: { operationId: "me", responses: { 200: { description: "ok" } } } } },
  };
  const row = await addRow("openapi", provider.values);
  await connect(row);
  takeSeen();
  const found = await ann.call("POST", `/rows/${row}/discover`, {
    document: JSON.stringify(document),
  });
  expect(found.status).toBe(200);
  await fixture.hub.cli("bridge", "approve", row, "--all");
  const { isError, text } = await call(row, "me");
  expect([isError, text]).toEqual([false, expect.stringContaining("hub_enc_")]);
  expect(takeSeen().every((sent) => /^Bearer access-\d+$/.test(sent))).toBe(true);
});
