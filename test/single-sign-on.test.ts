/** Single sign-on at a real OpenID provider: who comes in as whom, and who does not. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, type BrowserPage, createBrowser } from "./support/browser.ts";
import { findFreePort } from "./support/free-port.ts";
import {
  type Account,
  type OpenIdProvider,
  startOpenIdProvider,
} from "./support/openid-provider.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
let provider: OpenIdProvider;
let hub: RunningHub;
let base: string;

beforeAll(async () => {
  const port = await findFreePort();
  base = `http://localhost:${port}`;
  provider = owned.use(await startOpenIdProvider({ redirectUris: [`${base}/auth/sso/callback`] }));
  hub = owned.use(await startHub({ env: toEnv({ HUB_PORT: String(port) }) }));
});

afterAll(() => owned.disposeAsync());

function toEnv(more: Record<string, string> = {}): Record<string, string> {
  return {
    HUB_OIDC_ISSUER: provider.issuer,
    HUB_OIDC_CLIENT_ID: provider.clientId,
    HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
    HUB_OIDC_NAME: "Example ID",
    HUB_OIDC_NEW_USERS: "active",
    HUB_OIDC_ALLOWED_DOMAINS: "example.com",
    ...more,
  };
}

/** Somebody of the provider whose address is confirmed. */
function person(name: string, more: Partial<Account> = {}): Account {
  return { sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true, name, ...more };
}

const open = (browser: Browser, path: string) => browser.open(`${base}${path}`);

/** Signs somebody in from nothing. */
async function signIn(account: Account, path = "/auth/sso") {
  provider.signInAs(account);
  const browser = createBrowser();
  return { browser, page: await open(browser, path) };
}

/** Goes as far as the provider's answer, which the browser does not follow. */
async function comeBack(account: Account, alter: (url: URL) => void = () => {}) {
  provider.signInAs(account);
  const browser = createBrowser({
    stopAt: (url) => url.pathname === "/auth/sso/callback" || url.origin === provider.issuer,
  });
  const begun = new URL((await open(browser, "/auth/sso")).url);
  alter(begun);
  // The provider's own steps: its cookies go to its own host alone.
  const away = createBrowser({ stopAt: (url) => url.pathname === "/auth/sso/callback" });
  const back = new URL((await away.open(begun.href)).url);
  expect(back.searchParams.get("code")).toBeString();
  return { browser: following(browser), back };
}

/** The same cookies in a browser that stops nowhere. */
function following(browser: Browser): (url: string) => Promise<BrowserPage> {
  const sso = browser.cookie("hub_sso");
  return async (url) => {
    const fresh = createBrowser();
    if (sso !== undefined) fresh.setCookie(base, "hub_sso", sso);
    return await fresh.open(url);
  };
}

const show = async (email: string) =>
  (await hub.cli("user", "list", "--json"))
    .json<Array<{ email: string; status: string; role: string; tags: string[]; id: string }>>()
    .find((user) => user.email === email);

/** What the pages show of who is signed in, and where they ended. */
function whoIs({ url, text }: BrowserPage) {
  return { path: new URL(url).pathname, email: /title="([^"]+@[^"]+)"/.exec(text)?.[1] ?? null };
}

describe("signing in", () => {
  test("is offered on the sign-in page under the name of the settings", async () => {
    const { text } = await open(createBrowser(), "/auth/login");
    expect(text).toContain("Continue with Example ID");
  });

  test("makes the browser known for its user, as a password does, for whom sign-out keeps it", async () => {
    const { browser, page } = await signIn(person("known"));
    const mark = browser.cookie("hub_browser");
    expect(mark).toMatch(/^[\w-]{100,}$/);
    await browser.send(page, "/auth/logout", {});
    expect(browser.cookie("hub_session") ?? "").toBe("");
    expect(browser.cookie("hub_browser")).toBe(mark ?? "none");
  });

  test("makes a user of somebody new, without tags, and goes on where they wanted to go", async () => {
    const { page } = await signIn(person("ada"), "/auth/sso?next=%2Fprofile%2Ftokens");
    expect(whoIs(page)).toEqual({ path: "/profile/tokens", email: "ada@example.com" });
    expect(await show("ada@example.com")).toMatchObject({
      status: "active",
      role: "user",
      tags: [],
    });
  });

  test("finds the same user again by subject, whatever the e-mail is now", async () => {
    await signIn(person("bob"));
    const { page } = await signIn(person("bob", { email: "robert@example.com" }));
    expect(whoIs(page).email).toBe("bob@example.com");
    expect(await show("robert@example.com")).toBeUndefined();
  });

  test("is the user whom an admin added under the confirmed e-mail, and ends their one-time password", async () => {
    await hub.cli("user", "add", "cleo@example.com", "--tag", "finance");
    const made = await hub.cli("user", "password", "cleo@example.com", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const { page } = await signIn(person("cleo", { email: "Cleo@Example.com" }));
    expect(whoIs(page)).toEqual({ path: "/profile", email: "cleo@example.com" });
    expect(await show("cleo@example.com")).toMatchObject({ tags: ["finance"] });
    const browser = createBrowser();
    const form = await open(browser, "/auth/login");
    const refused = await browser.submit(form, { email: "cleo@example.com", password });
    expect(refused.status).toBe(401);
  });

  test("is shown on one's own profile, with where the account is", async () => {
    const { page } = await signIn(person("carl"));
    expect(page.text.replace(/<[^>]+>|\s+/g, " ")).toContain(
      `carl@example.com at ${new URL(provider.issuer).host}`,
    );
  });

  test("leaves who has no password no page that asks for the current one, until an admin gives one", async () => {
    const { page, browser } = await signIn(person("cora"));
    expect(page.text).not.toContain("Change password");
    expect(page.text).toContain("An admin can give you a one-time");
    const none = await open(browser, "/auth/password");
    expect(none.text).toContain("hub user password cora@example.com");
    expect(none.text).not.toContain('name="current"');

    const made = await hub.cli("user", "password", "cora@example.com", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const other = createBrowser();
    const form = await open(other, "/auth/login");
    const inside = await other.submit(form, { email: "cora@example.com", password });
    expect(whoIs(inside)).toEqual({ path: "/auth/password", email: "cora@example.com" });
    expect(inside.text).toContain('name="new_password"');
    expect(inside.text).not.toContain('name="current"');
  });

  test("is recorded as a change", async () => {
    await signIn(person("dora"));
    const user = await show("dora@example.com");
    const answer = await fetch(`${hub.url}/admin/api/changes?limit=200`, {
      headers: { authorization: `Bearer ${await hub.makeManageToken()}` },
    });
    const { changes } = Object(await answer.json());
    const own = changes.filter(({ target_id: id }: { target_id: string }) => id === user?.id);
    expect(own).toMatchObject([{ action: "user.create", actor: "dora@example.com" }]);
  });
});

describe("people who are not let in", () => {
  test.each([
    ["an unverified e-mail of an existing account", { email_verified: false }],
    ["an e-mail of an existing account of which nothing is said", { email_verified: undefined }],
  ])("%s takes nothing over", async (_, more) => {
    await hub.cli("user", "add", "eve@example.com").catch(() => {});
    const { page } = await signIn(person("eve", { sub: "sub-mallory", ...more }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("has not verified your e-mail address");
    expect(whoIs(await open(createBrowser(), "/profile")).email).toBeNull();
  });

  test("an e-mail that only looks like a user's after lower-casing is nobody's", async () => {
    await hub.cli("user", "add", "kim@example.com");
    const { page } = await signIn(person("kim", { sub: "kelvin", email: "\u212aim@example.com" }));
    expect(page.status).toBe(403);
  });

  test.each([
    "gil@example.org",
    "gil@sub.example.com",
    "gil@example.com.evil.example",
  ])("%s is of no allowed domain", async (email) => {
    const { page } = await signIn(person("gil", { email }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("does not accept sign-ins as");
    expect(await show(email)).toBeUndefined();
  });

  test("somebody who was let in before is out once their address leaves the domains", async () => {
    await signIn(person("hal"));
    const { page } = await signIn(person("hal", { email: "hal@example.org" }));
    expect(page.status).toBe(403);
  });

  test("an address that was given to another person does not open the account of the first", async () => {
    await signIn(person("ivy"));
    const { page } = await signIn(person("ivy", { sub: "sub-another-ivy" }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("is linked to another account of your provider");
  });

  test("an address that was given to another person opens the account once the first is unlinked", async () => {
    const { browser } = await signIn(person("ines"));
    const unlinked = await hub.cli("user", "unlink", "ines@example.com", "--json");
    expect(unlinked.json<unknown>()).toMatchObject([{ email: "ines@example.com" }]);
    expect(whoIs(await open(browser, "/profile")).path).toBe("/auth/login");
    const { page } = await signIn(person("ines", { sub: "sub-another-ines" }));
    expect(whoIs(page).email).toBe("ines@example.com");
    expect((await signIn(person("ines"))).page.status).toBe(403);
  });

  test("a disabled user stays out, whether they came this way before or not", async () => {
    await signIn(person("jan"));
    await hub.cli("user", "disable", "jan@example.com");
    expect((await signIn(person("jan"))).page.text).toContain("is disabled");
    await hub.cli("user", "add", "kai@example.com");
    await hub.cli("user", "disable", "kai@example.com");
    const { page, browser } = await signIn(person("kai"));
    expect(page.status).toBe(403);
    expect(browser.cookie("hub_session")).toBeUndefined();
  });
});

describe("the way back", () => {
  const over = "was started in another browser";

  test("is open to the browser that began, once", async () => {
    const { browser, back } = await comeBack(person("lea"));
    expect(whoIs(await browser(back.href)).email).toBe("lea@example.com");
    const again = await browser(back.href);
    expect([again.status, again.text.includes(over)]).toEqual([403, true]);
  });

  test.each<[string, (back: URL) => void]>([
    ["forged", (back) => back.searchParams.set("state", "forged")],
    ["missing", (back) => back.searchParams.delete("state")],
  ])("refuses a state that is %s, and asks the provider nothing", async (_, alter) => {
    const { browser, back } = await comeBack(person("mia"));
    alter(back);
    const before = provider.redemptions();
    const page = await browser(back.href);
    expect([page.status, page.text.includes(over)]).toEqual([403, true]);
    expect(provider.redemptions()).toBe(before);
  });

  test("refuses the answer to another browser: nobody is signed in as the attacker", async () => {
    const { back } = await comeBack(person("mallory"));
    expect((await open(createBrowser(), `${back.pathname}${back.search}`)).status).toBe(403);
    const victim = await comeBack(person("nora"));
    const page = await victim.browser(back.href);
    expect([page.status, whoIs(page).email]).toEqual([403, null]);
  });

  test("refuses a code that another attempt got: its verifier does not fit", async () => {
    const stolen = await comeBack(person("olga"));
    const { browser, back } = await comeBack(person("mallory"));
    back.searchParams.set("code", stolen.back.searchParams.get("code") ?? "");
    expect((await browser(back.href)).status).toBe(403);
  });

  test("refuses a token with another nonce", async () => {
    const alter = (url: URL) => url.searchParams.set("nonce", "another");
    const { browser, back } = await comeBack(person("pia"), alter);
    const page = await browser(back.href);
    expect([page.status, page.text.includes("did not confirm who you are")]).toEqual([403, true]);
    expect(await show("pia@example.com")).toBeUndefined();
  });

  test.each<[string, (back: URL) => void]>([
    ["another issuer", (back) => back.searchParams.set("iss", "https://evil.example")],
    ["no issuer, though this one always names itself", (back) => back.searchParams.delete("iss")],
  ])("refuses an answer of %s (mix-up)", async (_, alter) => {
    const { browser, back } = await comeBack(person("quin"));
    alter(back);
    expect((await browser(back.href)).status).toBe(403);
    expect(await show("quin@example.com")).toBeUndefined();
  });

  test("shows a refusal of the provider on the sign-in page, and none of its text", async () => {
    const { browser, back } = await comeBack(person("rex"));
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "call 555-0100 now");
    const page = await browser(back.href);
    expect(page.text).toContain("The sign-in was cancelled");
    expect(page.text).not.toContain("555-0100");
  });

  test.each([
    "//evil.example",
    "https://evil.example/",
    "/\\evil.example",
    "/%09/evil.example",
  ])("leads to no other site by %s", async (next) => {
    const { page } = await signIn(person("sam"), `/auth/sso?${new URLSearchParams({ next })}`);
    expect(new URL(page.url).origin).toBe(base);
    expect(page.status).not.toBe(0);
  });

  test("replaces a session that the browser had before", async () => {
    const { browser } = await signIn(person("tom"));
    const before = browser.cookie("hub_session") ?? "";
    provider.signInAs(person("tom"));
    await open(browser, "/auth/sso");
    expect(browser.cookie("hub_session")).not.toBe(before);
    const old = createBrowser();
    old.setCookie(base, "hub_session", before);
    expect(whoIs(await open(old, "/profile")).path).toBe("/auth/login");
  });
});

test("what the browser keeps meanwhile is sealed, out of reach of scripts, and short-lived", async () => {
  const answer = await fetch(`${base}/auth/sso`, { redirect: "manual" });
  const location = new URL(answer.headers.get("location") ?? "");
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    response_type: "code",
    scope: "openid email profile",
    code_challenge_method: "S256",
    redirect_uri: `${base}/auth/sso/callback`,
  });
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("hub_sso=")) ?? "";
  expect(cookie).toContain("HttpOnly");
  expect(cookie).toContain("SameSite=Lax");
  expect(cookie).toContain("Max-Age=600");
  for (const name of ["state", "nonce"]) {
    const value = location.searchParams.get(name) ?? "";
    const bytes = Buffer.from(cookie.split(/[=;]/)[1] ?? "", "base64url").toString("latin1");
    expect(value).not.toBe("");
    expect(`${cookie}${bytes}`).not.toContain(value);
  }
});

test("no log line holds a code, a state or the client secret", async () => {
  const { browser, back } = await comeBack(person("uma"));
  back.searchParams.set("iss", "https://evil.example");
  await browser(back.href);
  expect(hub.stderr()).toContain("a single sign-on failed");
  for (const name of ["code", "state"]) {
    expect(hub.stderr()).not.toContain(back.searchParams.get(name) ?? "");
  }
  expect(hub.stderr()).not.toContain(provider.clientSecret);
});

test("sign-ins are counted by outcome, and a refused one is logged by its reason, not by who it was", async () => {
  const count = async (outcome: string) => {
    const text = await (await fetch(`${hub.url}/metrics`)).text();
    const line = new RegExp(`hub_sign_ins_total{way="single_sign_on",outcome="${outcome}"} (\\d+)`);
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = [await count("success"), await count("refused")];
  await signIn(person("walt"));
  await signIn(person("yves", { email: "yves@secret.example" }));
  const after = [await count("success"), await count("refused")];
  expect(after).toEqual(before.map((figure) => figure + 1));
  const lines = hub.stderr().split("\n");
  expect(lines.find((line) => line.includes("domain_not_allowed"))).toContain(provider.issuer);
  expect(hub.stderr()).not.toContain("secret.example");
});

describe("other settings", () => {
  test("somebody new waits for an admin where new users are pending, and is then let in", async () => {
    const port = await findFreePort();
    await using own = await startOpenIdProvider({
      redirectUris: [`http://localhost:${port}/auth/sso/callback`],
    });
    const env = {
      HUB_PORT: String(port),
      HUB_OIDC_ISSUER: own.issuer,
      HUB_OIDC_CLIENT_ID: own.clientId,
      HUB_OIDC_CLIENT_SECRET: own.clientSecret,
    };
    await using strict = await startHub({ env });
    own.signInAs(person("vera"));
    const browser = createBrowser();
    const page = await browser.open(`http://localhost:${port}/auth/sso`);
    expect(whoIs(page)).toEqual({ path: "/auth/pending", email: "vera@example.com" });
    const pages = ["/", "/profile", "/profile/tokens", "/profile/mcp", "/tools/encfields"];
    for (const path of pages) {
      const shown = await browser.open(`http://localhost:${port}${path}`);
      expect([path, whoIs(shown).path]).toEqual([path, "/auth/pending"]);
    }
    const askApi = (path: string) =>
      fetch(`${strict.url}${path}`, {
        headers: { cookie: `hub_session=${browser.cookie("hub_session")}` },
      });
    const paths = ["/profile/api/me", "/profile/api/tokens", "/manager/api/rows"];
    const askAll = async () => (await Promise.all(paths.map(askApi))).map(({ status }) => status);
    expect(await askAll()).toEqual([401, 401, 401]);

    await strict.cli("user", "enable", "vera@example.com");
    expect(await askAll()).toEqual([200, 200, 200]);
    const after = await browser.open(`http://localhost:${port}/profile/tokens`);
    expect(whoIs(after).path).toBe("/profile/tokens");
  });

  test("an e-mail of which the provider does not say whether it is verified counts where the settings trust it", async () => {
    const port = await findFreePort();
    const root = `http://localhost:${port}`;
    await using own = await startOpenIdProvider({ redirectUris: [`${root}/auth/sso/callback`] });
    const env = {
      HUB_PORT: String(port),
      HUB_OIDC_ISSUER: own.issuer,
      HUB_OIDC_CLIENT_ID: own.clientId,
      HUB_OIDC_CLIENT_SECRET: own.clientSecret,
      HUB_OIDC_TRUST_EMAIL: "1",
    };
    await using trusting = await startHub({ env });
    await trusting.cli("user", "add", "xena@example.com");
    const come = async (more: Partial<Account>) => {
      own.signInAs(person("xena", more));
      return whoIs(await createBrowser().open(`${root}/auth/sso`)).email;
    };
    expect(await come({ email_verified: false })).toBeNull();
    expect(await come({ email_verified: undefined })).toBe("xena@example.com");
  });

  test("an issuer that is down is told on the sign-in page, where passwords work, and comes back by itself", async () => {
    const [port, issuerPort] = [await findFreePort(), await findFreePort()];
    const env = toEnv({
      HUB_PORT: String(port),
      HUB_OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
    });
    await using alone = await startHub({ env: { ...env, HUB_OIDC_CLIENT_SECRET: "" } });
    const root = `http://localhost:${port}`;
    const browser = createBrowser();
    const page = await browser.open(`${root}/auth/sso`);
    expect([page.status, page.text.includes("provider cannot be reached")]).toEqual([502, true]);
    expect(alone.stderr()).toContain("the OpenID provider could not be reached");

    await alone.cli("user", "add", "wim@example.com");
    const made = await alone.cli("user", "password", "wim@example.com", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const inside = await browser.submit(page, { email: "wim@example.com", password });
    expect(whoIs(inside)).toEqual({ path: "/auth/password", email: "wim@example.com" });

    const redirectUris = [`${root}/auth/sso/callback`];
    await using _ = await startOpenIdProvider({ redirectUris, port: issuerPort });
    const answer = await fetch(`${root}/auth/sso`, { redirect: "manual" });
    expect(answer.headers.get("location")).toStartWith(`http://127.0.0.1:${issuerPort}/`);
  });

  test("a hub without a provider has no button and no way in", async () => {
    await using plain = await startHub();
    const root = `http://localhost:${plain.port}`;
    expect((await createBrowser().open(`${root}/auth/login`)).text).not.toContain("/auth/sso");
    expect((await createBrowser().open(`${root}/auth/sso`)).status).toBe(404);
    expect((await createBrowser().open(`${root}/auth/sso/callback?code=1&state=1`)).status).toBe(
      404,
    );
  });
});
