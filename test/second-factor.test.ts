/** Second factors and fresh sign-ins through the real door, also as attackers try them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { toTotpCode, toTotpStep } from "@hub/server/identity/second-factor/totp.ts";
import { createPageBrowser, type PageBrowser } from "./support/page-browser.ts";
import { queryDatabase } from "./support/query-database.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const password = "a long enough pass phrase";
const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  hub = owned.use(await startHub({ hasCheapPasswords: true, isHere: true }));
});
afterAll(() => owned.disposeAsync());

/** A browser of a new user who has chosen a password. */
async function signUp(email: string, url = hub.url): Promise<PageBrowser> {
  const added = await hub.cli("user", "add", email, "--password", "--json");
  const { one_time_password: once } = added.json<{ one_time_password: string }>();
  const browser = createPageBrowser(url);
  await enter(browser, email, once);
  await browser.submit("/auth/password", { new_password: password, repeated: password });
  expect(browser.path()).toBe("/profile");
  return browser;
}

async function enter(browser: PageBrowser, email: string, given = password) {
  await browser.go("/auth/login?next=%2Fprofile");
  return await browser.submit("/auth/login", { email, password: given });
}

const readField = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
const readTyped = (html: string) => /<pre class="wrap">([A-Z2-7]+)<\/pre>/.exec(html)?.[1] ?? "";
const readCodes = (html: string) => html.match(/\b(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}\b/g) ?? [];

/** The secret of a set-up page as the hub stores it. */
function readSecret(html: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...readTyped(html)].map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return Buffer.from(bytes).toString("base64url");
}

/** The code of the current step, or of one that is away. A code of the current step or the next is valid for 30 seconds. */
const toCode = (secret: string, away = 0) => toTotpCode(secret, toTotpStep(Date.now()) + away);

type Secured = { browser: PageBrowser; secret: string; codes: string[] };

/** A user with an app for codes. */
async function secure(email: string): Promise<Secured> {
  const browser = await signUp(email);
  await browser.go("/profile/second-factor/add");
  const secret = readSecret(browser.html());
  await browser.submit("/profile/second-factor/add/app", { code: toCode(secret) });
  const codes = readCodes(browser.html());
  expect(codes).toHaveLength(10);
  return { browser, secret, codes };
}

describe("a user with an app for codes", () => {
  test("signs in with the password and a code, and each code counts once", async () => {
    const { secret } = await secure("ada@example.com");
    const browser = createPageBrowser(hub.url);
    await enter(browser, "ada@example.com");
    expect(browser.path()).toBe("/auth/second-factor");
    // The code with which the app was added is used.
    await browser.submit("/auth/second-factor", { code: toCode(secret) });
    expect(browser.html()).toContain("was used before");
    const next = toCode(secret, 1);
    await browser.submit("/auth/second-factor", { code: next });
    expect(browser.path()).toBe("/profile");
    const replay = createPageBrowser(hub.url);
    await enter(replay, "ada@example.com");
    await replay.submit("/auth/second-factor", { code: next });
    expect(replay.path()).toBe("/auth/second-factor");
    expect((await replay.go("/profile")).url).toContain("/auth/login");
  });

  test("signs in once with each recovery code", async () => {
    const { codes } = await secure("ben@example.com");
    const [code = ""] = codes;
    const browser = createPageBrowser(hub.url);
    await enter(browser, "ben@example.com");
    await browser.submit("/auth/second-factor", { code: code.toLowerCase().replaceAll("-", " ") });
    expect(browser.path()).toBe("/profile");
    const again = createPageBrowser(hub.url);
    await enter(again, "ben@example.com");
    await again.submit("/auth/second-factor", { code });
    expect(again.path()).toBe("/auth/second-factor");
  });

  test("is not let in by the code of another user", async () => {
    const { codes } = await secure("cleo@example.com");
    const other = await secure("dora@example.com");
    const browser = createPageBrowser(hub.url);
    await enter(browser, "cleo@example.com");
    for (const code of [toCode(other.secret, 1), other.codes[0] ?? ""]) {
      await browser.submit("/auth/second-factor", { code });
      expect(browser.path()).toBe("/auth/second-factor");
    }
    await browser.submit("/auth/second-factor", { code: codes[0] ?? "" });
    expect(browser.path()).toBe("/profile");
  });

  test("loses the other sessions, which began without it, and keeps its own", async () => {
    const first = await signUp("ed@example.com");
    const other = createPageBrowser(hub.url);
    await enter(other, "ed@example.com");
    await first.go("/profile/second-factor/add");
    const secret = readSecret(first.html());
    await first.submit("/profile/second-factor/add/app", { code: toCode(secret) });
    expect((await first.go("/profile")).url).toEndWith("/profile");
    expect((await other.go("/profile")).url).toContain("/auth/login");
  });
});

describe("the state after the password", () => {
  test("opens nothing, in no other browser, and not after the password was changed", async () => {
    const { codes } = await secure("fay@example.com");
    const browser = createPageBrowser(hub.url);
    await enter(browser, "fay@example.com");
    for (const path of ["/profile", "/profile/second-factor", "/auth/fresh", "/auth/password", "/"]) {
      expect((await browser.go(path)).url).toContain("/auth/login");
    }
    await hub.cli("user", "password", "fay@example.com");
    await browser.go("/auth/second-factor");
    expect(browser.path()).toBe("/auth/login");
    await enter(browser, "fay@example.com");
    expect(browser.path()).toBe("/auth/login");
    expect(codes).toHaveLength(10);
  });

  test("is bound to the browser: its cookie alone is of no use", async () => {
    const { codes } = await secure("gil@example.com");
    const page = await fetch(`${hub.url}/auth/login`);
    const form = toCookies(page);
    const csrf = readField(await page.text(), "csrf");
    const send = (path: string, cookie: string, fields: Record<string, string>) =>
      fetch(`${hub.url}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { cookie, accept: "text/html" },
        body: new URLSearchParams(fields),
      });
    const entered = await send("/auth/login", form, { csrf, email: "gil@example.com", password });
    expect(entered.headers.get("location")).toBe("/auth/second-factor");
    const halfWay = toCookies(entered);
    const elsewhere = await fetch(`${hub.url}/auth/login`);
    const otherForm = toCookies(elsewhere);
    const otherCsrf = readField(await elsewhere.text(), "csrf");
    const code = codes[0] ?? "";
    const stolen = await send("/auth/second-factor", `${otherForm}; ${halfWay}`, { csrf: otherCsrf, code });
    expect([stolen.status, toCookies(stolen)]).toEqual([403, "hub_half_way="]);
    const own = await send("/auth/second-factor", `${form}; ${halfWay}`, { csrf, code });
    expect([own.status, own.headers.get("location")]).toEqual([303, "/"]);
  });
});

const toCookies = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");

type Api = {
  cookie: string;
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
};

/** The API as the app calls it. */
async function openApi(url: string, cookie: string): Promise<Api> {
  const ask = async (method: string, path: string, csrf: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { cookie, "x-csrf-token": csrf, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // Answers of the API are objects.
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const csrf = String((await ask("GET", "/profile/api/me", "", undefined)).body.csrf_token);
  return { cookie, send: (method, path, body) => ask(method, path, csrf, body) };
}

/** Signs in by hand, and returns the cookie of the session. */
async function signInByHand(url: string, email: string, given = password): Promise<string> {
  const page = await fetch(`${url}/auth/login`);
  const csrf = readField(await page.text(), "csrf");
  const entered = await post(url, "/auth/login", toCookies(page), { csrf, email, password: given });
  return toCookies(entered);
}

const post = (url: string, path: string, cookie: string, fields: Record<string, string>) =>
  fetch(`${url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, accept: "text/html" },
    body: new URLSearchParams(fields),
  });

/** Makes a session as old as the time that a fresh sign-in lasts. */
const ageSessions = (of: RunningHub) =>
  queryDatabase(of.dataDir, "update sessions set fresh_at = fresh_at - 3600000");

describe("a stolen session", () => {
  test("adds and removes no factor without a fresh sign-in, by no door", async () => {
    const { browser, codes } = await secure("hal@example.com");
    const { send } = await openApi(hub.url, await signInWithCode("hal@example.com", codes));
    const [factor] = (await send("GET", "/profile/api/factors")).body.factors as Array<{ id: string }>;
    await ageSessions(hub);
    const remove = () => send("DELETE", `/profile/api/factors/${factor?.id}`);
    expect(await remove()).toMatchObject({
      status: 403,
      body: { code: "fresh_sign_in_required", address: "/auth/fresh" },
    });
    for (const path of ["add/app", "add/passkey", "codes", `${factor?.id}/remove`]) {
      await browser.go("/profile/second-factor");
      await browser.submit(`/profile/second-factor/${path}`, { code: "123456", state: "x" });
      expect(browser.path()).toBe("/auth/fresh");
    }
    expect((await browser.go("/profile/second-factor/add")).url).toContain("/auth/fresh");
    expect((await send("GET", "/profile/api/factors")).body).toMatchObject({ recovery_codes_left: 9 });
  });

  test("stays as it is when the user confirms in the own browser", async () => {
    const { codes } = await secure("ida@example.com");
    const own = await signInWithCode("ida@example.com", codes);
    await ageSessions(hub);
    const page = await fetch(`${hub.url}/auth/fresh`, { headers: { cookie: own } });
    const csrf = readField(await page.text(), "csrf");
    const wrong = await post(hub.url, "/auth/fresh", own, { csrf, password });
    expect(wrong.status).toBe(401);
    const right = await post(hub.url, "/auth/fresh", own, { csrf, code: codes[1] ?? "" });
    const renewed = toCookies(right);
    expect([right.status, renewed]).toEqual([303, expect.stringMatching(/^hub_session=/)]);
    const showProfile = (cookie: string) =>
      fetch(`${hub.url}/profile/second-factor/add`, { headers: { cookie }, redirect: "manual" });
    expect((await showProfile(renewed)).status).toBe(200);
    expect((await showProfile(own)).headers.get("location")).toStartWith("/auth/login");
  });
});

/** Signs in with the first recovery code, and returns the cookie of the session. */
async function signInWithCode(email: string, codes: readonly string[]): Promise<string> {
  const page = await fetch(`${hub.url}/auth/login`);
  const form = toCookies(page);
  const csrf = readField(await page.text(), "csrf");
  const entered = await post(hub.url, "/auth/login", form, { csrf, email, password });
  const cookie = `${form}; ${toCookies(entered)}`;
  const done = await post(hub.url, "/auth/second-factor", cookie, { csrf, code: codes[0] ?? "" });
  expect(done.status).toBe(303);
  return done.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .find((line) => line.startsWith("hub_session=")) ?? "";
}
