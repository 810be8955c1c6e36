/** Signing in by password as attackers try it, through the real door. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { createPageBrowser, type PageBrowser } from "./support/page-browser.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const password = "a long enough pass phrase";
const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  hub = owned.use(
    await startHub({ hasCheapPasswords: true, env: { HUB_TRUSTED_PROXIES: "192.0.2.1" } }),
  );
});
afterAll(() => owned.disposeAsync());

/** A user with a one-time password. */
async function addUser(email: string): Promise<string> {
  const added = await hub.cli("user", "add", email, "--password", "--json");
  return added.json<{ one_time_password: string }>().one_time_password;
}

async function makePassword(email: string): Promise<string> {
  const made = await hub.cli("user", "password", email, "--json");
  return made.json<{ one_time_password: string }>().one_time_password;
}

/** A browser of a user who chose a password of their own. */
async function signUp(email: string): Promise<PageBrowser> {
  const once = await addUser(email);
  const browser = createPageBrowser(hub.url);
  await signIn(browser, email, once);
  const given = { current: once, new_password: password, repeated: password };
  await browser.submit("/auth/password", given);
  expect(browser.path()).toBe("/profile");
  return browser;
}

async function signIn(browser: PageBrowser, email: string, given = password) {
  await browser.go("/auth/login?next=%2Fprofile");
  return await browser.submit("/auth/login", { email, password: given });
}

type Ask = { cookie?: string; headers?: Record<string, string>; form?: Record<string, string> };

/** One request as an attacker composes it; redirects are not followed. */
function ask(path: string, { cookie = "", headers = {}, form }: Ask = {}, url = hub.url) {
  const all = new Headers({ accept: "text/html", ...headers });
  if (cookie !== "") all.set("cookie", cookie);
  return fetch(`${url}${path}`, {
    method: form === undefined ? "GET" : "POST",
    headers: all,
    redirect: "manual",
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  });
}

const readCookies = (response: Response) =>
  response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");

/** Signs in by hand; `cookie` is what the browser had before. */
async function signInByHand(email: string, given: string, extra: Ask = {}, url = hub.url) {
  const page = await ask("/auth/login", extra, url);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const cookie = [extra.cookie ?? "", ...readCookies(page)].filter((one) => one !== "").join("; ");
  const form = { csrf, email, password: given };
  return await ask("/auth/login", { ...extra, cookie, form }, url);
}

const findSession = (response: Response) =>
  readCookies(response).find((cookie) => /hub_session=.+/.test(cookie)) ?? "";

describe("session fixation", () => {
  test("a session that was planted in a browser is not the one that is signed in, and is over", async () => {
    await signUp("fixed@example.com");
    await signUp("mallory@example.com");
    const planted = findSession(await signInByHand("mallory@example.com", password));
    const page = await ask("/profile/tokens", { cookie: planted });
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const form = { csrf, email: "fixed@example.com", password };
    const own = findSession(await ask("/auth/login", { cookie: planted, form }));
    expect(own).toMatch(/^hub_session=[\w-]{43}$/);
    expect(own).not.toBe(planted);
    expect(await (await ask("/profile", { cookie: own })).text()).toContain("fixed@example.com");
    expect((await ask("/profile", { cookie: planted })).headers.get("location")).toStartWith(
      "/auth/login",
    );
  });

  test("a made-up session is never taken over", async () => {
    const madeUp = `hub_session=${"A".repeat(43)}`;
    await signUp("madeup@example.com");
    const own = findSession(await signInByHand("madeup@example.com", password, { cookie: madeUp }));
    expect(own).not.toBe(madeUp);
    expect((await ask("/profile", { cookie: madeUp })).status).toBe(303);
  });
});

describe("cross-site requests", () => {
  test("sign no user in as another one: the form's token goes with this browser's cookie", async () => {
    await signUp("victim@example.com");
    const attackers = await ask("/auth/login");
    const csrf = /name="csrf" value="([^"]+)"/.exec(await attackers.text())?.[1] ?? "";
    const form = { csrf, email: "victim@example.com", password };
    const [victimsCookie = ""] = readCookies(await ask("/auth/login"));
    const [attackersCookie = ""] = readCookies(attackers);
    expect((await ask("/auth/login", { form })).status).toBe(403);
    expect((await ask("/auth/login", { form, cookie: victimsCookie })).status).toBe(403);
    const site = { "sec-fetch-site": "cross-site" };
    const crossSite = { form, cookie: attackersCookie, headers: site };
    expect((await ask("/auth/login", crossSite)).status).toBe(403);
    const sameSite = { ...crossSite, headers: { "sec-fetch-site": "same-site" } };
    expect((await ask("/auth/login", sameSite)).status).toBe(403);
    const foreign = { ...crossSite, headers: { origin: "https://evil.example" } };
    expect((await ask("/auth/login", foreign)).status).toBe(403);
    expect((await ask("/auth/login", { form, cookie: attackersCookie })).status).toBe(303);
  });

  test("neither sign out nor change a password without what only our page knows", async () => {
    await signUp("csrf@example.com");
    const cookie = findSession(await signInByHand("csrf@example.com", password));
    const others = await (await ask("/auth/login")).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(others)?.[1] ?? "";
    const change = {
      current: password,
      new_password: "something else",
      repeated: "something else",
    };
    const guesses: Record<string, string>[] = [{}, { csrf: "" }, { csrf }];
    for (const given of guesses) {
      expect((await ask("/auth/logout", { cookie, form: given })).status).toBe(403);
      const form = { ...change, ...given };
      expect((await ask("/auth/password", { cookie, form })).status).toBe(403);
    }
    expect((await ask("/auth/logout", { cookie })).status).toBe(404);
    expect((await ask("/profile", { cookie })).status).toBe(200);
  });
});

test.each([
  "/auth/login",
  "/auth/password",
  "/auth/pending",
  "/",
  "/nothing",
])("%s cannot be framed, runs no script, and is kept by no cache", async (path) => {
  const { headers } = await ask(path);
  expect(headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("referrer-policy")).toBe("same-origin");
});

describe("cookies", () => {
  const flagsOf = (response: Response, name: RegExp) => {
    const line = response.headers.getSetCookie().find((one) => name.test(one)) ?? "";
    return line.split("; ").slice(1).toSorted();
  };

  test("are for this host, no script, and no other site's forms", async () => {
    await signUp("flags@example.com");
    const response = await signInByHand("flags@example.com", password);
    const flags = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"];
    expect(flagsOf(response, /^hub_session=/)).toEqual(flags);
    expect(flagsOf(await ask("/auth/login"), /^hub_form=/)).toEqual([
      "HttpOnly",
      "Path=/",
      "SameSite=Strict",
    ]);
  });
});

describe("who gets in and how far", () => {
  test("a one-time password opens nothing but the page that changes it, and once changed nothing", async () => {
    const once = await addUser("once@example.com");
    const cookie = findSession(await signInByHand("once@example.com", once));
    for (const path of ["/", "/profile", "/profile/tokens", "/tools/encfields", "/auth/pending"]) {
      const location = (await ask(path, { cookie })).headers.get("location") ?? "";
      expect([path, location.split("?")[0]]).toEqual([path, "/auth/password"]);
    }
    const api = await ask("/profile/api/me", { cookie, headers: { accept: "*/*" } });
    expect(api.status).toBe(401);
    const page = await (await ask("/auth/password", { cookie })).text();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    // It is entered once, at sign-in, and is not kept as the new one.
    expect(page).not.toContain('name="current"');
    const kept = { csrf, new_password: once, repeated: once };
    const refused = await ask("/auth/password", { cookie, form: kept });
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining("Use a password other than the current one."),
    ]);
    const form = { ...kept, new_password: password, repeated: password };
    expect((await ask("/auth/password", { cookie, form })).status).toBe(303);
    expect((await signInByHand("once@example.com", once)).status).toBe(401);
  });

  test("a disabled user is answered as if there were none, and stays out after that", async () => {
    const browser = await signUp("gone@example.com");
    await hub.cli("user", "disable", "gone@example.com");
    await browser.go("/profile");
    expect(browser.path()).toBe("/auth/login");
    const [disabled, unknown] = [
      await signInByHand("gone@example.com", password),
      await signInByHand("nobody@example.com", password),
    ];
    const shown = async (response: Response) =>
      (await response.text()).replace(/value="[^"]*"/g, "").replace(/\w+@example.com/g, "");
    expect([disabled.status, await shown(disabled)]).toEqual([401, await shown(unknown)]);
    await hub.cli("user", "enable", "gone@example.com");
    await browser.go("/profile");
    expect(browser.path()).toBe("/auth/login");
  });

  test("what ends in one process is over at the next request in another", async () => {
    await using other = await startHub({ dataDir: hub.dataDir });
    await signUp("twice@example.com");
    const ends = [
      () => hub.cli("user", "password", "twice@example.com"),
      () => hub.cli("user", "disable", "twice@example.com"),
    ];
    for (const end of ends) {
      await hub.cli("user", "enable", "twice@example.com");
      const once = await makePassword("twice@example.com");
      const cookie = findSession(await signInByHand("twice@example.com", once));
      const seen = async (url: string) =>
        (await ask("/auth/password", { cookie }, url)).status === 200;
      expect([await seen(hub.url), await seen(other.url)]).toEqual([true, true]);
      await end();
      expect([await seen(hub.url), await seen(other.url)]).toEqual([false, false]);
    }
  });
});

test("who spoofs the address is throttled all the same, with one page for known and unknown names", async () => {
  await signUp("guessed@example.com");
  const pages: string[] = [];
  for (const email of ["guessed@example.com", "unknown@example.com"]) {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt += 1) {
      const headers = {
        "x-forwarded-for": `203.0.113.${attempt}`,
        "x-real-ip": `10.0.0.${attempt}`,
      };
      const response = await signInByHand(email, "wrong", { headers });
      statuses.push(response.status);
      if (attempt === 10) pages.push((await response.text()).replace(/value="[^"]*"/g, ""));
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  }
  expect(pages[0]).toBe(pages[1] ?? "");
  expect(pages[0]).toContain(
    "There were 10 wrong passwords for this account from your network. Try again in 15 minutes.",
  );
});

describe("sign-in cannot be locked from outside", () => {
  let proxied: RunningHub;
  beforeAll(async () => {
    proxied = owned.use(
      await startHub({ hasCheapPasswords: true, env: { HUB_TRUSTED_PROXIES: "127.0.0.1" } }),
    );
  });

  const enter = (email: string, given: string, address: string, cookie = "") =>
    signInByHand(email, given, { cookie, headers: { "x-forwarded-for": address } }, proxied.url);

  /** A user with a password of their own, and what their browser keeps when they sign out. */
  async function openVictim(email: string) {
    const added = await proxied.cli("user", "add", email, "--password", "--json");
    const { one_time_password: once } = added.json<{ one_time_password: string }>();
    const browser = createPageBrowser(proxied.url);
    await signIn(browser, email, once);
    const given = { current: once, new_password: password, repeated: password };
    await browser.submit("/auth/password", given);
    const inside = await enter(email, password, "198.51.100.1");
    const known = readCookies(inside).find((cookie) => cookie.startsWith("hub_browser=")) ?? "";
    const session = findSession(inside);
    const page = await ask("/profile", { cookie: session }, proxied.url);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const left = await ask("/auth/logout", { cookie: session, form: { csrf } }, proxied.url);
    expect(left.status).toBe(303);
    expect(readCookies(left).join()).not.toContain("hub_browser");
    return known;
  }

  async function guess(email: string, address: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) {
      statuses.push((await enter(email, "wrong", address)).status);
    }
    return statuses;
  }
  const refused = [...Array(10).fill(401), 429];

  test("by a stranger elsewhere, nor for a browser that signed in before by one in the same network", async () => {
    const email = "locked@example.com";
    const known = await openVictim(email);
    expect(await guess(email, "203.0.113.9")).toEqual(refused);
    expect(await guess(email, "198.51.100.1")).toEqual(refused);
    expect((await enter(email, password, "198.51.100.77")).status).toBe(303);
    expect((await enter(email, password, "198.51.100.1", known)).status).toBe(303);
    const stopped = await enter(email, password, "198.51.100.1");
    expect(stopped.status).toBe(429);
    expect(Number(stopped.headers.get("retry-after"))).toBeWithin(1, 901);
    expect(await stopped.text()).toContain("browsers in which you signed in before");
  });

  test("the mark of a browser is no credential, and no other account's", async () => {
    const known = await openVictim("marked@example.com");
    await openVictim("other@example.com");
    for (const path of ["/profile", "/profile/api/me", "/auth/password"]) {
      const response = await ask(path, { cookie: known }, proxied.url);
      expect([path, [303, 401].includes(response.status)]).toEqual([path, true]);
    }
    expect((await enter("marked@example.com", "", "198.51.100.1", known)).status).toBe(401);
    expect(await guess("other@example.com", "198.51.100.1")).toEqual(refused);
    const other = await enter("other@example.com", password, "198.51.100.1", known);
    expect(other.status).toBe(429);
  });

  test.each([
    ["hub user unlock", ["user", "unlock"]],
    ["a new one-time password", ["user", "password"]],
  ])("and %s, which is another process, ends the wait at once", async (_, command) => {
    const email = `${command.join("-")}@example.com`;
    await openVictim(email);
    expect(await guess(email, "203.0.113.9")).toEqual(refused);
    const done = (await proxied.cli(...command, email, "--json")).json<object>();
    const given = "one_time_password" in done ? String(done.one_time_password) : password;
    expect((await enter(email, given, "203.0.113.9")).status).toBe(303);
  });

  nightlyTest(
    "nor delayed by more than a few turns, however many networks of one area try",
    async () => {
      // At full cost, so that attempts wait. The attempts of a network count under its own limit.
      await using slow = await startHub({ env: { HUB_TRUSTED_PROXIES: "127.0.0.1" } });
      let answered = 0;
      let refusals = 0;
      let isOver = false;
      const attempt = (email: string, address: string) =>
        signInByHand(email, "wrong", { headers: { "x-forwarded-for": address } }, slow.url);
      const keepTrying = async (n: number) => {
        for (let round = 0; !isOver && round < 100; round += 1) {
          const { status } = await attempt(`${n}-${round}@example.com`, `203.0.113.${n}`);
          if (status === 401) answered += 1;
          else refusals += 1;
        }
      };
      const flood = Promise.allSettled(Array.from({ length: 60 }, (_, n) => keepTrying(n)));
      // The queue is full once an attempt was refused.
      while (refusals === 0) await new Promise((resolve) => setImmediate(resolve));
      const before = answered;
      const newcomer = await attempt("new@example.com", "198.51.100.7");
      const answeredFirst = answered - before;
      isOver = true;
      expect(newcomer.status).toBe(401);
      // Some end while the newcomer's request arrives.
      expect(answeredFirst).toBeLessThanOrEqual(4);
      // The rest of the flood is not waited for.
      await slow.kill();
      await flood;
    },
  );

  nightlyTest(
    "and a restart or another process forgets no guess, however many come at once",
    async () => {
      const email = "twice-guessed@example.com";
      const { dataDir, url } = proxied;
      const env = { HUB_TRUSTED_PROXIES: "127.0.0.1" };
      await using other = await startHub({ dataDir, env });
      await openVictim(email);
      // A hash at full cost, so that the guesses are compared at the same time.
      await other.cli("user", "password", email);
      const headers = { "x-forwarded-for": "203.0.113.80" };
      const guesses = Array.from({ length: 24 }, (_, n) =>
        signInByHand(email, "wrong", { headers }, n % 2 === 0 ? url : other.url),
      );
      const statuses = (await Promise.all(guesses)).map(({ status }) => status);
      const tried = statuses.filter((status) => status === 401).length;
      expect(statuses.filter((status) => status === 429)).toHaveLength(24 - tried);
      expect(tried).toBeLessThanOrEqual(10);
      for (let n = tried; n < 10; n += 1) await signInByHand(email, "wrong", { headers }, url);
      await other.stop();
      await using again = await startHub({ dataDir, env });
      expect((await signInByHand(email, password, { headers }, again.url)).status).toBe(429);
    },
  );

  test("a signed-in person's own password changes while strangers guess", async () => {
    const email = "changes@example.com";
    await openVictim(email);
    const inside = findSession(await enter(email, password, "198.51.100.1"));
    expect(await guess(email, "198.51.100.1")).toEqual(refused);
    const page = await ask("/auth/password", { cookie: inside }, proxied.url);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const next = "another long pass phrase";
    const change = (current: string) =>
      ask(
        "/auth/password",
        { cookie: inside, form: { csrf, current, new_password: next, repeated: next } },
        proxied.url,
      );
    for (let n = 0; n < 9; n += 1) expect((await change("wrong")).status).toBe(422);
    expect((await change(password)).status).toBe(303);
  });

  test("the page of the password says what happened and how long it lasts", async () => {
    const email = "stuck@example.com";
    await openVictim(email);
    const cookie = findSession(await enter(email, password, "198.51.100.1"));
    const page = await ask("/auth/password", { cookie }, proxied.url);
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const form = { csrf, current: "wrong", new_password: password, repeated: password };
    const answers: Response[] = [];
    for (let n = 0; n < 11; n += 1) {
      answers.push(await ask("/auth/password", { cookie, form }, proxied.url));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(422), 429]);
    expect(await answers.at(-1)?.text()).toContain(
      "There were 10 wrong passwords in this session. Try again in 15 minutes.",
    );
  });
});
