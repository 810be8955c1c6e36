/** Single sign-on with a real OpenID provider: the user of each sign-in, and refused sign-ins. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type Browser, type BrowserPage, createBrowser } from "./support/browser.ts";
import { findFreePort } from "./support/free-port.ts";
import {
  type Account,
  type OpenIdProvider,
  startOpenIdProvider,
} from "./support/openid-provider.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let provider: OpenIdProvider;
let hub: RunningHub;
let base: string;

beforeAll(async () => {
  const port = await findFreePort();
  base = `http://localhost:${port}`;
  provider = owned.use(await startOpenIdProvider({ redirectUris: [`${base}/auth/sso/callback`] }));
  hub = owned.use(await startHub({ isHere: true, env: toEnv({ HUB_PORT: String(port) }) }));
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

/** An account of the provider with a verified e-mail address. */
function toAccount(name: string, more: Partial<Account> = {}): Account {
  return { sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true, name, ...more };
}

const open = (browser: Browser, path: string) => browser.open(`${base}${path}`);

/** Signs an account in with a new browser. */
async function signIn(account: Account, path = "/auth/sso?next=%2Fprofile") {
  provider.signInAs(account);
  const browser = createBrowser();
  return { browser, page: await open(browser, path) };
}

/** Signs in up to the provider's redirect to the callback, which the browser does not follow. */
async function stopAtCallback(account: Account, alter: (url: URL) => void = () => {}) {
  provider.signInAs(account);
  const browser = createBrowser({
    stopAt: (url) => url.pathname === "/auth/sso/callback" || url.origin === provider.issuer,
  });
  const authorizeUrl = new URL((await open(browser, "/auth/sso?next=%2Fprofile")).url);
  alter(authorizeUrl);
  // A second browser does the provider's steps, because cookies belong to one host.
  const atProvider = createBrowser({ stopAt: (url) => url.pathname === "/auth/sso/callback" });
  const back = new URL((await atProvider.open(authorizeUrl.href)).url);
  expect(back.searchParams.get("code")).toBeString();
  return { browser: copyBrowser(browser), back };
}

/** A new browser with the same sign-in cookie. */
function copyBrowser(browser: Browser): (url: string) => Promise<BrowserPage> {
  const sso = browser.cookie("hub_sso");
  return async (url) => {
    const fresh = createBrowser();
    if (sso !== undefined) fresh.setCookie(base, "hub_sso", sso);
    return await fresh.open(url);
  };
}

const findUser = async (email: string) =>
  (await hub.cli("user", "list", "--json"))
    .json<Array<{ email: string; status: string; role: string; tags: string[]; id: string }>>()
    .find((user) => user.email === email);

/** The path of a page and the e-mail address of its signed-in user. */
function readPage({ url, text }: BrowserPage) {
  return { path: new URL(url).pathname, email: /title="([^"]+@[^"]+)"/.exec(text)?.[1] ?? null };
}

describe("A sign-in", () => {
  test("The sign-in page offers the provider by its configured name", async () => {
    const { text } = await open(createBrowser(), "/auth/login");
    expect(text).toContain("Continue with Example ID");
  });

  test("Single sign-on stores the known-browser cookie of its user, and sign-out keeps it", async () => {
    const { browser, page } = await signIn(toAccount("known"));
    const mark = browser.cookie("hub_browser");
    expect(mark).toMatch(/^[\w-]{100,}$/);
    await browser.send(page, "/auth/logout", {});
    expect(browser.cookie("hub_session") ?? "").toBe("");
    expect(browser.cookie("hub_browser")).toBe(mark ?? "none");
  });

  test("A new account becomes a user without tags, and continues to the requested page", async () => {
    const { page } = await signIn(toAccount("ada"), "/auth/sso?next=%2Fprofile%2Ftokens");
    expect(readPage(page)).toEqual({ path: "/profile/tokens", email: "ada@example.com" });
    expect(await findUser("ada@example.com")).toMatchObject({
      status: "active",
      role: "user",
      tags: [],
    });
  });

  test("An account finds its user by subject after a change of its e-mail", async () => {
    await signIn(toAccount("bob"));
    const { page } = await signIn(toAccount("bob", { email: "robert@example.com" }));
    expect(readPage(page).email).toBe("bob@example.com");
    expect(await findUser("robert@example.com")).toBeUndefined();
  });

  test("An account signs in as the existing user with its verified e-mail, and ends the one-time password", async () => {
    await hub.cli("user", "add", "cleo@example.com", "--tag", "finance");
    const made = await hub.cli("user", "password", "cleo@example.com", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const { page } = await signIn(toAccount("cleo", { email: "Cleo@Example.com" }));
    expect(readPage(page)).toEqual({ path: "/profile", email: "cleo@example.com" });
    expect(await findUser("cleo@example.com")).toMatchObject({ tags: ["finance"] });
    const browser = createBrowser();
    const form = await open(browser, "/auth/login?next=%2Fprofile");
    const refused = await browser.submit(form, { email: "cleo@example.com", password });
    expect(refused.status).toBe(401);
  });

  test("The profile shows the identity with its provider", async () => {
    const { page } = await signIn(toAccount("carl"));
    expect(page.text.replace(/<[^>]+>|\s+/g, " ")).toContain(
      `carl@example.com at ${new URL(provider.issuer).host}`,
    );
  });

  test("A user without a password can set one only after an admin creates a one-time password", async () => {
    const { page, browser } = await signIn(toAccount("cora"));
    expect(page.text).not.toContain("Change password");
    expect(page.text).toContain("An admin can give you a one-time");
    const none = await open(browser, "/auth/password");
    expect(none.text).toContain("hub user password cora@example.com");
    expect(none.text).not.toContain('name="current"');

    const made = await hub.cli("user", "password", "cora@example.com", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const other = createBrowser();
    const form = await open(other, "/auth/login?next=%2Fprofile");
    const signedIn = await other.submit(form, { email: "cora@example.com", password });
    expect(readPage(signedIn)).toEqual({ path: "/auth/password", email: "cora@example.com" });
    expect(signedIn.text).toContain('name="new_password"');
    expect(signedIn.text).not.toContain('name="current"');
  });

  test("A user that single sign-on creates is recorded as a change", async () => {
    await signIn(toAccount("dora"));
    const user = await findUser("dora@example.com");
    const answer = await fetch(`${hub.url}/admin/api/changes?limit=200`, {
      headers: { authorization: `Bearer ${await hub.makeManageToken()}` },
    });
    const { changes } = Object(await answer.json());
    const own = changes.filter(({ target_id: id }: { target_id: string }) => id === user?.id);
    expect(own).toMatchObject([{ action: "user.create", actor: "dora@example.com" }]);
  });
});

describe("A refused sign-in", () => {
  test.each([
    ["with an unverified e-mail", { email_verified: false }],
    ["without the claim email_verified", { email_verified: undefined }],
  ])("An account %s cannot sign in as an existing user (attack: account takeover)", async (_, more) => {
    await hub.cli("user", "add", "eve@example.com").catch(() => {});
    const { page } = await signIn(toAccount("eve", { sub: "sub-mallory", ...more }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("has not verified your e-mail address");
    expect(readPage(await open(createBrowser(), "/profile")).email).toBeNull();
  });

  test("An e-mail that equals a user's only after Unicode lower-casing is refused", async () => {
    await hub.cli("user", "add", "kim@example.com");
    const { page } = await signIn(
      toAccount("kim", { sub: "kelvin", email: "\u212aim@example.com" }),
    );
    expect(page.status).toBe(403);
  });

  test.each([
    "gil@example.org",
    "gil@sub.example.com",
    "gil@example.com.evil.example",
  ])("%s is refused because its domain is not allowed", async (email) => {
    const { page } = await signIn(toAccount("gil", { email }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("does not accept sign-ins as");
    expect(await findUser(email)).toBeUndefined();
  });

  test("A known account is refused when its e-mail leaves the allowed domains", async () => {
    await signIn(toAccount("hal"));
    const { page } = await signIn(toAccount("hal", { email: "hal@example.org" }));
    expect(page.status).toBe(403);
  });

  test("A new account with a reassigned e-mail cannot sign in as the linked user", async () => {
    await signIn(toAccount("ivy"));
    const { page } = await signIn(toAccount("ivy", { sub: "sub-another-ivy" }));
    expect(page.status).toBe(403);
    expect(page.text).toContain("is linked to another account of your provider");
  });

  test("A new account with a reassigned e-mail can sign in after the first identity is unlinked", async () => {
    const { browser } = await signIn(toAccount("ines"));
    const unlinked = await hub.cli("user", "unlink", "ines@example.com", "--json");
    expect(unlinked.json<unknown>()).toMatchObject([{ email: "ines@example.com" }]);
    expect(readPage(await open(browser, "/profile")).path).toBe("/auth/login");
    const { page } = await signIn(toAccount("ines", { sub: "sub-another-ines" }));
    expect(readPage(page).email).toBe("ines@example.com");
    expect((await signIn(toAccount("ines"))).page.status).toBe(403);
  });

  test("A disabled user cannot sign in with a linked or a new identity", async () => {
    await signIn(toAccount("jan"));
    await hub.cli("user", "disable", "jan@example.com");
    expect((await signIn(toAccount("jan"))).page.text).toContain("is disabled");
    await hub.cli("user", "add", "kai@example.com");
    await hub.cli("user", "disable", "kai@example.com");
    const { page, browser } = await signIn(toAccount("kai"));
    expect(page.status).toBe(403);
    expect(browser.cookie("hub_session")).toBeUndefined();
  });
});

describe("The callback", () => {
  const otherBrowserMessage = "was started in another browser";

  test("The callback works once, in the browser that began the sign-in", async () => {
    const { browser, back } = await stopAtCallback(toAccount("lea"));
    expect(readPage(await browser(back.href)).email).toBe("lea@example.com");
    const again = await browser(back.href);
    expect([again.status, again.text.includes(otherBrowserMessage)]).toEqual([403, true]);
  });

  test.each<[string, (back: URL) => void]>([
    ["forged", (back) => back.searchParams.set("state", "forged")],
    ["missing", (back) => back.searchParams.delete("state")],
  ])("The callback refuses a state that is %s without a request to the provider", async (_, alter) => {
    const { browser, back } = await stopAtCallback(toAccount("mia"));
    alter(back);
    const before = provider.redemptions();
    const page = await browser(back.href);
    expect([page.status, page.text.includes(otherBrowserMessage)]).toEqual([403, true]);
    expect(provider.redemptions()).toBe(before);
  });

  test("The callback refuses another browser's answer (attack: login CSRF)", async () => {
    const { back } = await stopAtCallback(toAccount("mallory"));
    expect((await open(createBrowser(), `${back.pathname}${back.search}`)).status).toBe(403);
    const victim = await stopAtCallback(toAccount("nora"));
    const page = await victim.browser(back.href);
    expect([page.status, readPage(page).email]).toEqual([403, null]);
  });

  test("The callback refuses the code of another sign-in, because the PKCE verifier differs", async () => {
    const stolen = await stopAtCallback(toAccount("olga"));
    const { browser, back } = await stopAtCallback(toAccount("mallory"));
    back.searchParams.set("code", stolen.back.searchParams.get("code") ?? "");
    expect((await browser(back.href)).status).toBe(403);
  });

  test("The callback refuses an ID token with another nonce", async () => {
    const alter = (url: URL) => url.searchParams.set("nonce", "another");
    const { browser, back } = await stopAtCallback(toAccount("pia"), alter);
    const page = await browser(back.href);
    expect([page.status, page.text.includes("did not confirm who you are")]).toEqual([403, true]);
    expect(await findUser("pia@example.com")).toBeUndefined();
  });

  test.each<[string, (back: URL) => void]>([
    ["of another issuer", (back) => back.searchParams.set("iss", "https://evil.example")],
    [
      "without the issuer that this provider always sends",
      (back) => back.searchParams.delete("iss"),
    ],
  ])("The callback refuses an answer %s (attack: mix-up)", async (_, alter) => {
    const { browser, back } = await stopAtCallback(toAccount("quin"));
    alter(back);
    expect((await browser(back.href)).status).toBe(403);
    expect(await findUser("quin@example.com")).toBeUndefined();
  });

  test("A refusal by the provider is shown on the sign-in page without the provider's text", async () => {
    const { browser, back } = await stopAtCallback(toAccount("rex"));
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
  ])("The callback does not redirect to another site: next=%s (attack: open redirect)", async (next) => {
    const { page } = await signIn(toAccount("sam"), `/auth/sso?${new URLSearchParams({ next })}`);
    expect(new URL(page.url).origin).toBe(base);
    expect(page.status).not.toBe(0);
  });

  test("A sign-in replaces the browser's earlier session", async () => {
    const { browser } = await signIn(toAccount("tom"));
    const before = browser.cookie("hub_session") ?? "";
    provider.signInAs(toAccount("tom"));
    await open(browser, "/auth/sso");
    expect(browser.cookie("hub_session")).not.toBe(before);
    const old = createBrowser();
    old.setCookie(base, "hub_session", before);
    expect(readPage(await open(old, "/profile")).path).toBe("/auth/login");
  });
});

test("The sign-in cookie is encrypted, HttpOnly and short-lived", async () => {
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

test("The log does not contain codes, states or the client secret", async () => {
  const { browser, back } = await stopAtCallback(toAccount("uma"));
  back.searchParams.set("iss", "https://evil.example");
  await browser(back.href);
  await waitFor(() => hub.stderr().includes("a single sign-on failed"));
  for (const name of ["code", "state"]) {
    expect(hub.stderr()).not.toContain(back.searchParams.get(name) ?? "");
  }
  expect(hub.stderr()).not.toContain(provider.clientSecret);
});

test("Sign-ins are counted by outcome, and a refusal is logged with its reason but without the e-mail", async () => {
  const count = async (outcome: string) => {
    const text = await (await fetch(`${hub.url}/metrics`)).text();
    const line = new RegExp(`hub_sign_ins_total{way="single_sign_on",outcome="${outcome}"} (\\d+)`);
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = [await count("success"), await count("refused")];
  await signIn(toAccount("walt"));
  await signIn(toAccount("yves", { email: "yves@secret.example" }));
  const after = [await count("success"), await count("refused")];
  expect(after).toEqual(before.map((figure) => figure + 1));
  const line = await waitFor(() =>
    hub
      .stderr()
      .split("\n")
      .slice(0, -1)
      .find((each) => each.includes("domain_not_allowed")),
  );
  expect(line).toContain(provider.issuer);
  expect(hub.stderr()).not.toContain("secret.example");
});

describe("Other settings", () => {
  nightlyTest(
    "With HUB_OIDC_NEW_USERS=pending, a new user waits until an admin enables them",
    async () => {
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
      await using strict = await startHub({ isHere: true, env });
      own.signInAs(toAccount("vera"));
      const browser = createBrowser();
      const page = await browser.open(`http://localhost:${port}/auth/sso`);
      expect(readPage(page)).toEqual({ path: "/auth/pending", email: "vera@example.com" });
      const pages = ["/", "/profile", "/profile/tokens", "/profile/mcp", "/tools/encfields"];
      for (const path of pages) {
        const shown = await browser.open(`http://localhost:${port}${path}`);
        expect([path, readPage(shown).path]).toEqual([path, "/auth/pending"]);
      }
      const requestApi = (path: string) =>
        fetch(`${strict.url}${path}`, {
          headers: { cookie: `hub_session=${browser.cookie("hub_session")}` },
        });
      const paths = ["/profile/api/me", "/profile/api/tokens", "/manager/api/rows"];
      const requestAll = async () =>
        (await Promise.all(paths.map(requestApi))).map(({ status }) => status);
      expect(await requestAll()).toEqual([401, 401, 401]);

      await strict.cli("user", "enable", "vera@example.com");
      expect(await requestAll()).toEqual([200, 200, 200]);
      const after = await browser.open(`http://localhost:${port}/profile/tokens`);
      expect(readPage(after).path).toBe("/profile/tokens");
    },
  );

  test("With HUB_OIDC_TRUST_EMAIL=1, an e-mail without email_verified is trusted", async () => {
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
    await using trusting = await startHub({ isHere: true, env });
    await trusting.cli("user", "add", "xena@example.com");
    const signInWith = async (more: Partial<Account>) => {
      own.signInAs(toAccount("xena", more));
      return readPage(await createBrowser().open(`${root}/auth/sso?next=%2Fprofile`)).email;
    };
    expect(await signInWith({ email_verified: false })).toBeNull();
    expect(await signInWith({ email_verified: undefined })).toBe("xena@example.com");
  });

  nightlyTest(
    "While the issuer is down, the sign-in page says so and accepts passwords; later, sign-on works again",
    async () => {
      const [port, issuerPort] = [await findFreePort(), await findFreePort()];
      const env = toEnv({
        HUB_PORT: String(port),
        HUB_OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
      });
      await using alone = await startHub({
        isHere: true,
        env: { ...env, HUB_OIDC_CLIENT_SECRET: "" },
      });
      const root = `http://localhost:${port}`;
      const browser = createBrowser();
      const page = await browser.open(`${root}/auth/sso`);
      expect([page.status, page.text.includes("provider cannot be reached")]).toEqual([502, true]);
      await waitFor(() => alone.stderr().includes("the OpenID provider could not be reached"));

      await alone.cli("user", "add", "wim@example.com");
      const made = await alone.cli("user", "password", "wim@example.com", "--json");
      const { one_time_password: password } = made.json<{ one_time_password: string }>();
      const signedIn = await browser.submit(page, { email: "wim@example.com", password });
      expect(readPage(signedIn)).toEqual({ path: "/auth/password", email: "wim@example.com" });

      const redirectUris = [`${root}/auth/sso/callback`];
      await using _ = await startOpenIdProvider({ redirectUris, port: issuerPort });
      const answer = await fetch(`${root}/auth/sso`, { redirect: "manual" });
      expect(answer.headers.get("location")).toStartWith(`http://127.0.0.1:${issuerPort}/`);
    },
  );

  test("A hub without a provider has no single sign-on", async () => {
    await using plain = await startHub({ isHere: true });
    const root = `http://localhost:${plain.port}`;
    expect((await createBrowser().open(`${root}/auth/login`)).text).not.toContain("/auth/sso");
    expect((await createBrowser().open(`${root}/auth/sso`)).status).toBe(404);
    expect((await createBrowser().open(`${root}/auth/sso/callback?code=1&state=1`)).status).toBe(
      404,
    );
  });
});
