/** Independent clients connect with OAuth: from an empty home folder to a called tool. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { amount } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { type OAuthFixture, openOAuthFixture, type UserLogin } from "../support/oauth-fixture.ts";
import { logIn } from "./support/log-in.ts";
import { runNode } from "./support/run-node.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture());
  ada = await fixture.addUserWithPassword("ada@example.com");
});
afterAll(() => owned.disposeAsync());

const openHome = async () => owned.use(await createDataFolder()).path;
const listApplications = async () =>
  (await fixture.hub.cli("app", "list", "--json")).json<Array<{ name: string }>>();

test("@modelcontextprotocol/inspector --cli logs in and calls a tool", async () => {
  const home = await openHome();
  const script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  const port = await findFreePort();
  const { stdout, stderr } = await logIn({
    script,
    args: [
      ...["--cli", `${fixture.base}/mcp`, "--transport", "http", "--format", "json"],
      ...["--callback-url", `http://127.0.0.1:${port}/oauth/callback`],
      ...["--method", "tools/call", "--tool-name", "hub_list"],
    ],
    home,
    person: ada,
    // It needs a terminal or permission to open a browser.
    env: { MCP_AUTO_OPEN_ENABLED: "true" },
  });
  expect(stdout, stderr).toContain("Who am I");
});

nightlyTest(
  "mcporter logs in, and calls a tool in a later process without another login",
  async () => {
    const home = await openHome();
    const script = "mcporter/dist/cli.js";
    await Bun.write(
      `${home}/config/mcporter.json`,
      JSON.stringify({ mcpServers: { hub: { url: `${fixture.base}/mcp`, auth: "oauth" } } }),
    );
    await logIn({ script, args: ["auth", "hub", "--no-browser"], home, person: ada });
    const called = await runNode(script, ["call", "hub.hub_list", "--output", "json"], home);
    expect(called.stdout, called.stderr).toContain("Who am I");
  },
);

test("mcp-remote logs in, and forwards the calls of a client that supports only stdio", async () => {
  const home = await openHome();
  const clientInfo = { name: "test", version: "1" };
  const protocol = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const call = { name: "hub_list", arguments: {} };
  const { stdout, stderr } = await logIn(
    {
      script: "mcp-remote/dist/proxy.js",
      args: [`${fixture.base}/mcp`, String(await findFreePort())],
      home,
      person: ada,
      input: [
        { jsonrpc: "2.0", id: 1, method: "initialize", params: protocol },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: call },
      ],
    },
    /"id":2.*\n/,
  );
  expect(stdout, stderr).toContain("Who am I");
});

test("Each client is a connected application of its user", async () => {
  expect((await listApplications()).length).toBeGreaterThanOrEqual(amount(2, 3));
});
