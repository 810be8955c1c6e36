/** Protects: crafted addresses, headers and misused credentials give no access. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readLastRun } from "./support/audit.ts";
import { type Browser, createBrowser } from "./support/browser.ts";
import {
  callback,
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  signIn,
  signInAndDecide,
  type UserLogin,
} from "./support/oauth-fixture.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;
let client: ReturnType<typeof createTestOAuthClient>;
/** Ada's signed-in browser. It does not follow redirects to other hosts. */
let browser: Browser;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  ada = await fixture.addUserWithPassword("ada@example.com");
  client = createTestOAuthClient(fixture.base);
  browser = createBrowser({ stopAt: (url) => url.origin !== fixture.base });
  await signIn(browser, fixture.base, ada);
});
afterAll(() => owned.disposeAsync());

const native = "http://localhost:4000/back";
const site = "https://app.example/back";
const register = () => client.register({ redirect_uris: [callback, native, site] });

describe("An authorization request", () => {
  test.each([
    ["with a registered URI as prefix", `${callback}/more`],
    ["with a registered host as prefix", `${site.replace("/back", "")}.evil.example/back`],
    ["with a registered host as user name", "https://app.example@evil.example/back"],
    ["with another port of a remote host", "https://app.example:8443/back"],
    [
      "with another port of a host that begins with localhost",
      "http://localhost.evil.example:4001/back",
    ],
    ["with another scheme", "http://app.example/back"],
    ["with an added query", `${site}?to=evil`],
    ["with an added fragment", `${site}#evil`],
    ["of the scheme javascript", "javascript:alert(document.cookie)"],
    ["of the scheme data", "data:text/html,<script>alert(1)</script>"],
  ])("A redirect URI %s is refused", async (_, redirectUri) => {
    const url = client.toAuthorizeUrl(await register(), { redirect_uri: redirectUri });
    const page = await browser.open(url);
    expect([page.status, new URL(page.url).origin]).toEqual([400, fixture.base]);
    expect(page.forms.flatMap(({ buttons }) => buttons.map(({ value }) => value))).not.toContain(
      "allow",
    );
  });

  test.each([
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["no challenge", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    ["the response type token", { response_type: "token" }, "unsupported_response_type"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ])("An authorization request with %s is redirected with an error and without a code", async (_, fields, error) => {
    const { url } = await browser.open(client.toAuthorizeUrl(await register(), fields));
    expect(url).toStartWith(callback);
    const withQuery = url.replace("#", "?");
    expect(new URL(withQuery).searchParams.get("error")).toBe(error);
    expect(withQuery).not.toContain("code=");
  });
});

describe("A code gives tokens only to its client", () => {
  async function fetchCode(clientId: string): Promise<string> {
    const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), ada);
    return new URL(back.url).searchParams.get("code") ?? "";
  }

  test.each<[string, Record<string, string>]>([
    ["another verifier", { code_verifier: "v".repeat(43) }],
    ["no verifier", { code_verifier: "" }],
    ["another redirect URI", { redirect_uri: native }],
    ["another resource", { resource: "https://other.example/mcp" }],
  ])("A code with %s is refused", async (_, fields) => {
    const id = await register();
    const answer = await client.redeem(id, await fetchCode(id), fields);
    expect([answer.status, await answer.text()]).toEqual([400, expect.not.stringContaining("oat")]);
  });

  test("A code of another client, and a refresh token for another resource, are refused", async () => {
    const [id, other] = [await register(), await register()];
    expect((await client.redeem(other, await fetchCode(id))).status).toBe(400);
    const { access_token, refresh_token } = Object(
      await (await client.redeem(id, await fetchCode(id))).json(),
    );
    expect(access_token).toBeString();
    const stolen = await client.refresh(other, refresh_token);
    const resource = "https://other.example/mcp";
    const fields = { grant_type: "refresh_token", client_id: id, refresh_token, resource };
    const misled = await client.postForm("/oauth/token", fields);
    expect([stolen.status, misled.status]).toEqual([400, 400]);
  });
});

describe("A credential is valid only for its own endpoints", () => {
  type Secrets = { session: string; pat: string; access: string; refresh: string; code: string };
  let secrets: Secrets;
  let clientId: string;

  beforeAll(async () => {
    const { tokens, code, ...connected } = await client.connect(ada);
    clientId = connected.clientId;
    secrets = {
      session: browser.cookie("hub_session") ?? "",
      pat: fixture.hub.adminToken(),
      access: tokens.access_token,
      refresh: tokens.refresh_token,
      code,
    };
  });

  const get = (path: string, headers: Record<string, string>) =>
    fetch(`${fixture.base}${path}`, { headers, redirect: "manual" });
  const toBearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const toCookie = (token: string) => ({ cookie: `hub_session=${token}` });
  const call = toToolCall("hub_list", {});
  const requestTokens = (fields: Record<string, string>) =>
    client.postForm("/oauth/token", { client_id: clientId, ...fields });

  const attempts: Record<string, [(secrets: Secrets) => Promise<Response>, number]> = {
    "a session as a token for MCP": [(all) => postRpc(fixture.base, all.session, call), 401],
    "a session's cookie at MCP": [
      (all) => postRpc(fixture.base, null, call, toCookie(all.session)),
      401,
    ],
    "a refresh token at MCP": [(all) => postRpc(fixture.base, all.refresh, call), 401],
    "a code at MCP": [(all) => postRpc(fixture.base, all.code, call), 401],
    "a session as a token for the API": [
      (all) => get("/profile/api/me", toBearer(all.session)),
      401,
    ],
    "an application's token at the API": [
      (all) => get("/profile/api/me", toBearer(all.access)),
      403,
    ],
    "a client's token at the API": [(all) => get("/profile/api/me", toBearer(all.pat)), 403],
    "a client's token at /metrics": [(all) => get("/metrics", toBearer(all.pat)), 403],
    "an application's token at /metrics": [(all) => get("/metrics", toBearer(all.access)), 401],
    "an application's token as a session": [(all) => get("/profile", toCookie(all.access)), 303],
    "an application's token at a page": [(all) => get("/profile", toBearer(all.access)), 303],
    "a personal token at a page": [(all) => get("/profile", toBearer(all.pat)), 303],
    "a personal token as a session": [(all) => get("/profile", toCookie(all.pat)), 303],
    "a personal token in place of consent": [
      (all) => get("/oauth/consent/any", toBearer(all.pat)),
      303,
    ],
    "an application's token as a refresh token": [
      (all) => requestTokens({ grant_type: "refresh_token", refresh_token: all.access }),
      400,
    ],
    "a personal token as a refresh token": [
      (all) => requestTokens({ grant_type: "refresh_token", refresh_token: all.pat }),
      400,
    ],
    "a refresh token as a code": [
      (all) => requestTokens({ grant_type: "authorization_code", code: all.refresh }),
      400,
    ],
    "a password at the token endpoint": [
      () => requestTokens({ grant_type: "password", username: ada.email, password: ada.password }),
      400,
    ],
    "client credentials at the token endpoint": [
      () => requestTokens({ grant_type: "client_credentials" }),
      400,
    ],
  };

  test.each(Object.entries(attempts))("Access with %s is refused", async (_, [attempt, status]) => {
    expect((await attempt(secrets)).status).toBe(status);
  });
});

test.each([
  "//evil.example",
  "///evil.example",
  "https://evil.example/",
  "https:evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/%09/evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/.//evil.example",
  "javascript:alert(1)",
])("Sign-in does not redirect to another site: next=%j (attack: open redirect)", async (next) => {
  const address = `${fixture.base}/auth/login?${new URLSearchParams({ next })}`;
  // `next` comes from the address, and again from a forged field of the form.
  for (const fields of [{ ...ada }, { ...ada, next }]) {
    const fresh = createBrowser({ stopAt: (url) => url.origin !== fixture.base });
    const signedIn = await fresh.submit(await fresh.open(address), fields);
    expect(fresh.cookie("hub_session")).toBeString();
    expect(new URL(signedIn.url).origin).toBe(fixture.base);
    // The same address, when the browser is already signed in.
    expect(new URL((await fresh.open(address)).url).origin).toBe(fixture.base);
  }
});

test("Forwarding headers of an untrusted client have no effect", async () => {
  const spoofed = {
    forwarded: "for=203.0.113.9;host=evil.example;proto=https",
    "x-forwarded-for": "203.0.113.9",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    "x-real-ip": "203.0.113.9",
  };
  const token = fixture.hub.adminToken();
  const called = await postRpc(fixture.base, token, toToolCall("hub_list", {}), spoofed);
  expect(called.status).toBe(200);
  expect(readLastRun(fixture.hub.dataDir).ip_address).toMatch(/^(127\.0\.0\.1|::1)$/);
  const refused = await postRpc(fixture.base, null, toToolCall("hub_list", {}), spoofed);
  expect(refused.headers.get("www-authenticate")).toContain(`"${fixture.base}/.well-known/`);
  const metadata = await fetch(`${fixture.base}/.well-known/oauth-authorization-server`, {
    headers: spoofed,
  });
  expect(await metadata.text()).not.toContain("evil.example");
  const page = await fetch(`${fixture.base}/auth/login`, { headers: spoofed });
  expect(page.headers.get("set-cookie")).not.toContain("Secure");
  expect(await page.text()).not.toContain("evil.example");
});

test("A form of thousands of fields is refused before it is parsed (attack: expensive parsing)", async () => {
  const answer = await fetch(`${fixture.base}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a&".repeat(2_000),
  });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining("at most 1000 fields"),
  ]);
});
