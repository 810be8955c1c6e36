/**
 * Protects: the authorization server refuses attacks over HTTP. Attacks that do not need HTTP are tested
 * beside the source: packages/server/src/oauth/authorization-server.test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readLastRun } from "./support/audit.ts";
import { createBrowser } from "./support/browser.ts";
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
/** A server of the same database in a process of its own. */
let second: OAuthFixture;
let ada: UserLogin;
let client: ReturnType<typeof createTestOAuthClient>;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  second = owned.use(await openOAuthFixture({ dataDir: fixture.hub.dataDir }));
  ada = await fixture.addUserWithPassword("ada@example.com");
  client = createTestOAuthClient(fixture.base);
});
afterAll(() => owned.disposeAsync());

const callStatus = async (token: string, base = fixture.base) =>
  (await postRpc(base, token, toToolCall("hub_list", {}))).status;
const stopAtCallback = { stopAt: (url: URL) => url.href.startsWith(callback) };

/** Opens the consent page of a new client in a signed-in browser. */
async function openConsent() {
  const browser = createBrowser(stopAtCallback);
  await signIn(browser, fixture.base, ada);
  const url = client.toAuthorizeUrl(await client.register());
  return { browser, page: await browser.open(url) };
}

describe("The consent page", () => {
  test("The consent page names the client, the redirect host and the user, and cannot be framed", async () => {
    const { page } = await openConsent();
    expect(page.status).toBe(200);
    expect(page.text).toStartWith("<!doctype html>");
    expect(page.text).toContain("Test client");
    expect(page.text).toContain("127.0.0.1:9");
    expect(page.text).toContain("ada@example.com");
    // Attack: clickjacking.
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    const policy = page.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    // It gives access to others, so it runs no script and asks for nothing, as the sign-in page.
    expect(policy).toStartWith("default-src 'none'");
    expect(policy).not.toMatch(/script-src|connect-src/);
    expect(page.text).not.toContain("<script");
    expect(page.headers.get("cache-control")).toContain("no-store");
  });

  test("The consent page escapes the client's name (attack: XSS)", async () => {
    const name = "<img src=x onerror=alert(1)>&lt;b>";
    const browser = createBrowser(stopAtCallback);
    await signIn(browser, fixture.base, ada);
    const id = await client.register({ client_name: name });
    const { text } = await browser.open(client.toAuthorizeUrl(id));
    expect(text).not.toContain("<img src=x");
    expect(text).toContain("&lt;img src=x");
  });

  test("The consent page refuses forms of other sites, and forms without the CSRF token", async () => {
    const { browser, page } = await openConsent();
    const csrf = page.forms[0]?.inputs.find(({ name }) => name === "csrf")?.value ?? "";
    const cookie = `hub_session=${browser.cookie("hub_session")}; hub_oauth_consent=${browser.cookie("hub_oauth_consent")}`;
    const send = (fields: Record<string, string>, headers: Record<string, string>) =>
      fetch(page.url, {
        method: "POST",
        redirect: "manual",
        headers: {
          cookie,
          accept: "text/html",
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      });
    const own = { origin: fixture.base, "sec-fetch-site": "same-origin" };
    const decision = "allow";
    const forged = [
      send({ decision, csrf }, { origin: "https://evil.example", "sec-fetch-site": "cross-site" }),
      send({ decision, csrf }, { ...own, "sec-fetch-site": "cross-site" }),
      send({ decision, csrf }, { ...own, "sec-fetch-site": "same-site" }),
      send({ decision }, own),
      send({ decision, csrf: `${csrf.slice(0, -1)}x` }, own),
    ];
    for (const answer of await Promise.all(forged)) {
      expect([answer.status, answer.headers.get("refresh")]).toEqual([403, null]);
    }
    expect((await send({ decision, csrf }, own)).headers.get("refresh")).toContain(
      "/oauth/authorize/",
    );
  });

  test("Sign-in returns to the consent page, which returns to the client", async () => {
    const browser = createBrowser(stopAtCallback);
    const first = await browser.open(client.toAuthorizeUrl(await client.register()));
    expect(first.url).toContain("/auth/login?next=%2Foauth%2Fconsent%2F");
    const back = await signInAndDecide(browser, first.url, ada);
    expect(new URL(back.url).searchParams.get("state")).toBe("the-state");
  });

  test("The consent page asks again for a known client, because another program can use its id", async () => {
    const { clientId, browser } = await client.connect(ada);
    const page = await browser.open(client.toAuthorizeUrl(clientId));
    expect(page.forms.flatMap(({ buttons }) => buttons.map(({ value }) => value))).toContain(
      "allow",
    );
  });

  test("A user can switch accounts on the consent page", async () => {
    const bob = await fixture.addUserWithPassword("bob@example.com");
    const { browser, page } = await openConsent();
    const form = page.forms.find(({ inputs }) => inputs.some(({ name }) => name === "next"));
    const next = form?.inputs.find(({ name }) => name === "next")?.value ?? "";
    const login = await browser.submit(page, { next });
    const again = await browser.submit(login, { email: bob.email, password: bob.password });
    expect(again.url).toBe(page.url);
    expect(again.text).toContain("bob@example.com");
  });

  test("The return to a desktop app is a link, because browsers start programs only after a click", async () => {
    const scheme = "com.example.desk:";
    const browser = createBrowser({ stopAt: (url) => url.protocol === scheme });
    const redirectUri = `${scheme}/back`;
    const id = await client.register({ redirect_uris: [redirectUri] });
    const url = client.toAuthorizeUrl(id, { redirect_uri: redirectUri });
    const page = await signInAndDecide(browser, url, ada);
    expect(page.headers.get("refresh")).toBeNull();
    const path = /class="button wide" href="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const back = await browser.open(`${fixture.base}${path}`);
    expect(back.url).toStartWith(`${redirectUri}?code=`);
  });

  test("A session with a one-time password cannot give consent", async () => {
    const email = "once@example.com";
    await fixture.hub.cli("user", "add", email);
    const made = await fixture.hub.cli("user", "password", email, "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const browser = createBrowser({
      stopAt: (url) => url.pathname.startsWith("/oauth/consent/"),
    });
    const consent = await browser.open(client.toAuthorizeUrl(await client.register()));
    await signIn(browser, fixture.base, { email, password });
    const page = await browser.open(`${fixture.base}/auth/password`);
    const csrf = page.forms[0]?.inputs.find(({ name }) => name === "csrf")?.value ?? "";
    const cookies = ["hub_session", "hub_oauth_consent"];
    const answer = await fetch(consent.url, {
      method: "POST",
      redirect: "manual",
      headers: {
        origin: fixture.base,
        "sec-fetch-site": "same-origin",
        accept: "text/html",
        cookie: cookies.map((name) => `${name}=${browser.cookie(name)}`).join("; "),
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ decision: "allow", csrf }).toString(),
    });
    expect([answer.status, answer.headers.get("location")?.split("?")[0]]).toEqual([
      303,
      "/auth/password",
    ]);
    const list = await fixture.hub.cli("app", "list", "--user", email, "--json");
    expect(list.json<unknown[]>()).toEqual([]);
  });

  test("A consent page cannot be opened in another browser", async () => {
    const { page } = await openConsent();
    const other = createBrowser(stopAtCallback);
    await signIn(other, fixture.base, ada);
    const opened = await other.open(page.url);
    expect([
      opened.status,
      opened.forms.some(({ buttons }) => buttons.some(({ value }) => value === "allow")),
    ]).toEqual([400, false]);
  });
});

describe("A token", () => {
  /** An application of Ada, for tests that leave its tokens as they are. */
  const connected = Promise.withResolvers<Awaited<ReturnType<typeof client.connect>>>();
  beforeAll(async () => connected.resolve(await client.connect(ada)));

  test("A token in the query is refused and is not logged", async () => {
    const { tokens, clientId } = await connected.promise;
    const token = tokens.access_token;
    const answer = await fetch(`${fixture.base}/mcp?access_token=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(toToolCall("hub_list", {})),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).not.toContain("invalid_token");
    const fields = { client_id: clientId };
    const other = await client.postForm(`/oauth/revoke?token=${token}`, fields);
    expect([other.status, Object(await other.json()).error]).toEqual([400, "invalid_request"]);
    expect(fixture.hub.stderr()).not.toContain(token.slice("hub_oat_".length));
    expect(await callStatus(token)).toBe(200);
  });

  test("An invalid and a missing token get different challenges", async () => {
    const metadata = `resource_metadata="${fixture.base}/.well-known/oauth-protected-resource", scope="mcp"`;
    const ask = async (token: string | null) =>
      (await postRpc(fixture.base, token, toToolCall("hub_list", {}))).headers.get(
        "www-authenticate",
      );
    expect(await ask(null)).toBe(`Bearer ${metadata}`);
    expect(await ask(`hub_oat_${"0".repeat(32)}`)).toBe(
      `Bearer error="invalid_token", ${metadata}`,
    );
  });

  test("Revoking an application ends its tokens at the next request of every process", async () => {
    const { tokens, clientId } = await client.connect(ada);
    expect([
      await callStatus(tokens.access_token),
      await callStatus(tokens.access_token, second.base),
    ]).toEqual([200, 200]);
    const list = await fixture.hub.cli("app", "list", "--user", ada.email, "--json");
    const [application] = list
      .json<Array<{ id: string; client_id: string }>>()
      .filter((one) => one.client_id === clientId);
    await fixture.hub.cli("app", "revoke", application?.id ?? "");
    expect([
      await callStatus(tokens.access_token),
      await callStatus(tokens.access_token, second.base),
    ]).toEqual([401, 401]);
    expect((await client.refresh(clientId, tokens.refresh_token)).status).toBe(400);
  });

  test("Disabling a user ends the tokens of the user's applications in every process", async () => {
    const eve = await fixture.addUserWithPassword("eve@example.com");
    const { tokens, clientId } = await client.connect(eve);
    expect(await callStatus(tokens.access_token, second.base)).toBe(200);
    await fixture.hub.cli("user", "disable", eve.email);
    expect([
      await callStatus(tokens.access_token),
      await callStatus(tokens.access_token, second.base),
    ]).toEqual([401, 401]);
    expect((await client.refresh(clientId, tokens.refresh_token)).status).toBe(400);
  });

  test("A refreshed token can continue an MCP session", async () => {
    const { tokens, clientId } = await client.connect(ada);
    const clientInfo = { name: "test", version: "1" };
    const initialized = await postRpc(fixture.base, tokens.access_token, {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    });
    const session = initialized.headers.get("mcp-session-id") ?? "";
    expect(session).not.toBe("");
    const later = Object(await (await client.refresh(clientId, tokens.refresh_token)).json());
    const call = toToolCall("hub_list", {});
    const headers = { "mcp-session-id": session };
    const answer = await postRpc(fixture.base, later.access_token, call, headers);
    // A new id in the answer means that the hub lost the session.
    expect([answer.status, answer.headers.get("mcp-session-id") ?? session]).toEqual([
      200,
      session,
    ]);
  });

  test("A run of an application's token names the application", async () => {
    const { tokens, clientId } = await connected.promise;
    await callStatus(tokens.access_token);
    const list = await fixture.hub.cli("app", "list", "--json");
    const application = list
      .json<Array<{ id: string; client_id: string }>>()
      .find((one) => one.client_id === clientId);
    expect(readLastRun(fixture.hub.dataDir).token_id).toBe(application?.id ?? "");
  });

  test("A token sees the rows that its user sees at the time of the call", async () => {
    const dan = await fixture.addUserWithPassword("dan@example.com", { tags: ["ops"] });
    await fixture.hub.cli(
      "row",
      "add",
      "http",
      "--label",
      "Ops",
      "--tag",
      "ops",
      "--set",
      "base_url=https://ops.example",
    );
    const { tokens } = await client.connect(dan);
    const list = async () =>
      await (await postRpc(fixture.base, tokens.access_token, toToolCall("hub_list", {}))).text();
    expect(await list()).toContain("Ops");
    await fixture.hub.cli("user", "set", dan.email, "--untag", "ops");
    expect(await list()).not.toContain("Ops");
  });
});

describe("A page of another site", () => {
  const origin = "https://inspector.example";
  test("A page of another site can use the metadata and token endpoints without credentials", async () => {
    for (const path of [
      "oauth-protected-resource",
      "oauth-protected-resource/mcp",
      "oauth-authorization-server",
    ]) {
      const answer = await fetch(`${fixture.base}/.well-known/${path}`, { headers: { origin } });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
        200,
        "*",
      ]);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
    for (const path of ["register", "token", "revoke"]) {
      const answer = await fetch(`${fixture.base}/oauth/${path}`, {
        method: "OPTIONS",
        headers: { origin },
      });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
        204,
        "*",
      ]);
    }
  });

  test("A page of another site cannot use consent, authorization or MCP", async () => {
    for (const path of ["/oauth/consent/x", "/oauth/authorize", "/mcp"]) {
      const answer = await fetch(`${fixture.base}${path}`, {
        headers: { origin },
        redirect: "manual",
      });
      expect(answer.status).toBe(403);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("A request with a foreign Host gets 403 (attack: DNS rebinding)", async () => {
    const answer = await fetch(`${fixture.base}/.well-known/oauth-authorization-server`, {
      headers: { host: "evil.example" },
    });
    expect(answer.status).toBe(403);
  });
});

test("Registration refuses large bodies and invalid URIs, and is rate limited by address", async () => {
  await using own = await openOAuthFixture({ isHere: true });
  const post = (body: string) =>
    fetch(`${own.base}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  expect((await post("x".repeat(100_000))).status).toBe(413);
  expect((await post(JSON.stringify({ redirect_uris: ["javascript:alert(1)"] }))).status).toBe(400);
  const statuses = new Set<number>();
  for (let count = 0; count < 40 && !statuses.has(429); count += 1) {
    statuses.add((await post(JSON.stringify({ redirect_uris: [callback] }))).status);
  }
  expect([...statuses].sort()).toEqual([201, 429]);
});
