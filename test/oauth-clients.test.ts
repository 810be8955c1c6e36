/** The official clients connect with OAuth: from the address of the hub to a called tool. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as sdk2 from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createBrowser } from "./support/browser.ts";
import { createTestClient } from "./support/mcp-client.ts";
import {
  type OAuthFixture,
  openOAuthFixture,
  signInAndDecide,
  type UserLogin,
} from "./support/oauth-fixture.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  ada = await fixture.addUserWithPassword("ada@example.com");
});
afterAll(() => owned.disposeAsync());

const callback = "http://localhost:9/callback";

/** The state that a program with an official client stores between its starts. */
function createProvider() {
  const kept: { client?: never; tokens?: never; verifier: string; url?: URL } = { verifier: "" };
  return {
    kept,
    provider: {
      redirectUrl: callback,
      clientMetadata: {
        client_name: "A test",
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      },
      state: () => "state-of-the-client",
      clientInformation: () => kept.client,
      saveClientInformation: (client: never) => {
        kept.client = client;
      },
      tokens: () => kept.tokens,
      saveTokens: (tokens: never) => {
        kept.tokens = tokens;
      },
      redirectToAuthorization: (url: URL) => {
        kept.url = url;
      },
      saveCodeVerifier: (verifier: string) => {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier,
    },
  };
}

/** Follows the authorization URL in the user's browser, and returns the code. */
async function fetchCode(url: URL | undefined): Promise<URLSearchParams> {
  const browser = createBrowser({ stopAt: (next) => next.href.startsWith(callback) });
  const back = await signInAndDecide(browser, String(url), ada);
  return new URL(back.url).searchParams;
}

test("@modelcontextprotocol/sdk 1.32 registers, gets tokens, refreshes them, and calls a tool", async () => {
  const { kept, provider } = createProvider();
  const url = new URL(`${fixture.base}/mcp`);
  const begin = new StreamableHTTPClientTransport(url, { authProvider: provider });
  const first = new Client({ name: "test", version: "1" });
  await expect(first.connect(begin)).rejects.toThrow();
  const answer = await fetchCode(kept.url);
  expect(answer.get("state")).toBe("state-of-the-client");
  await begin.finishAuth(answer.get("code") ?? "");

  // Simulates the time after an hour: the access token is invalid, and the refresh token is valid.
  Object(kept.tokens).access_token = `hub_oat_${"0".repeat(32)}`;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
  await using connected = createTestClient(client, (request, options) =>
    client.callTool(request, undefined, options),
  );
  expect((await connected.call("hub_list")).isError).toBe(false);
  expect(Object(kept.tokens).access_token).toMatch(/^hub_oat_[0-9a-f]{32}$/);
});

test("@modelcontextprotocol/client 2.4 registers, gets tokens, and calls a tool", async () => {
  const { kept, provider } = createProvider();
  const url = new URL(`${fixture.base}/mcp`);
  const open = () => new sdk2.StreamableHTTPClientTransport(url, { authProvider: provider });
  const create = () => new sdk2.Client({ name: "test", version: "2" });
  const begin = open();
  await expect(create().connect(begin)).rejects.toThrow();
  const answer = await fetchCode(kept.url);
  await begin.finishAuth(answer);
  const client = create();
  await client.connect(open());
  await using connected = createTestClient(client, (request, options) =>
    client.callTool(request, options),
  );
  const { value } = await connected.call("hub_info");
  expect(value.hub_version).toBeString();
});
