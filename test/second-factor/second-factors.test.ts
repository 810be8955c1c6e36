/** Second factors and fresh sign-ins through the real door, also as attackers try them. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createPageBrowser } from "../support/page-browser.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  enter,
  giveByHand,
  openApi,
  password,
  post,
  readField,
  readSecret,
  secure,
  signInByHand,
  signUp,
  toCode,
  toCookies,
  toNamedUrl,
} from "./factor-people.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  hub = owned.use(await startHub({ hasCheapPasswords: true, isHere: true }));
});
afterAll(() => owned.disposeAsync());

describe("a user with an app for codes", () => {
  test("signs in with the password and a code, and each code counts once", async () => {
    const { secret } = await secure(hub, "ada@example.com");
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "ada@example.com");
    expect(browser.path()).toBe("/auth/second-factor");
    // The code with which the app was added is used.
    await browser.submit("/auth/second-factor", { code: toCode(secret) });
    expect(browser.html()).toContain("was used before");
    const next = toCode(secret, 1);
    await browser.submit("/auth/second-factor", { code: next });
    expect(browser.path()).toBe("/profile");
    const replay = createPageBrowser(toNamedUrl(hub));
    await enter(replay, "ada@example.com");
    await replay.submit("/auth/second-factor", { code: next });
    expect(replay.path()).toBe("/auth/second-factor");
    expect((await replay.go("/profile")).url).toContain("/auth/login");
  });

  test("signs in once with each recovery code", async () => {
    const { codes } = await secure(hub, "ben@example.com");
    const [code = ""] = codes;
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "ben@example.com");
    await browser.submit("/auth/second-factor", { code: code.toLowerCase().replaceAll("-", " ") });
    expect(browser.path()).toBe("/profile");
    const again = createPageBrowser(toNamedUrl(hub));
    await enter(again, "ben@example.com");
    await again.submit("/auth/second-factor", { code });
    expect(again.path()).toBe("/auth/second-factor");
  });

  test("is not let in by the code of another user", async () => {
    const { codes } = await secure(hub, "cleo@example.com");
    const other = await secure(hub, "dora@example.com");
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "cleo@example.com");
    for (const code of [toCode(other.secret, 1), other.codes[0] ?? ""]) {
      await browser.submit("/auth/second-factor", { code });
      expect(browser.path()).toBe("/auth/second-factor");
    }
    await browser.submit("/auth/second-factor", { code: codes[0] ?? "" });
    expect(browser.path()).toBe("/profile");
  });

  test("loses the other sessions, which began without it, and keeps its own", async () => {
    const first = await signUp(hub, "ed@example.com");
    const other = createPageBrowser(toNamedUrl(hub));
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
    const { codes } = await secure(hub, "fay@example.com");
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "fay@example.com");
    for (const path of [
      "/profile",
      "/profile/second-factor",
      "/auth/fresh",
      "/auth/password",
      "/",
    ]) {
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
    const { codes } = await secure(hub, "gil@example.com");
    const { csrf, form, entered } = await giveByHand(hub.url, "gil@example.com");
    expect(entered.headers.get("location")).toBe("/auth/second-factor");
    const halfWay = toCookies(entered);
    const send = (path: string, cookie: string, fields: Record<string, string>) =>
      post(hub.url, path, cookie, fields);
    const elsewhere = await fetch(`${hub.url}/auth/login`);
    const otherForm = toCookies(elsewhere);
    const otherCsrf = readField(await elsewhere.text(), "csrf");
    const code = codes[0] ?? "";
    const stolen = await send("/auth/second-factor", `${otherForm}; ${halfWay}`, {
      csrf: otherCsrf,
      code,
    });
    expect([stolen.status, toCookies(stolen)]).toEqual([403, "hub_half_way="]);
    const own = await send("/auth/second-factor", `${form}; ${halfWay}`, { csrf, code });
    expect([own.status, own.headers.get("location")]).toEqual([303, "/"]);
  });
});

/** Makes sessions older than a fresh sign-in may be. */
const ageSessions = () =>
  queryDatabase(hub.dataDir, "update sessions set fresh_at = fresh_at - 3600000");

describe("a stolen session", () => {
  test("adds and removes no factor without a fresh sign-in, by no door", async () => {
    const { browser, codes } = await secure(hub, "hal@example.com");
    const { send } = await openApi(
      hub.url,
      await signInByHand(hub.url, "hal@example.com", codes[0] ?? ""),
    );
    const [factor] = (await send("GET", "/profile/api/factors")).body.factors as Array<{
      id: string;
    }>;
    ageSessions();
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
    expect((await send("GET", "/profile/api/factors")).body).toMatchObject({
      recovery_codes_left: 9,
    });
  });

  test("stays as it is when the user confirms in the own browser", async () => {
    const { codes } = await secure(hub, "ida@example.com");
    const own = await signInByHand(hub.url, "ida@example.com", codes[0] ?? "");
    ageSessions();
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

describe("guessing codes", () => {
  test("is stopped over all servers and networks, and neither a recovery code nor an admin has to wait", async () => {
    const { secret, codes } = await secure(hub, "jo@example.com");
    await using second = await startHub({
      dataDir: hub.dataDir,
      hasCheapPasswords: true,
      isHere: true,
    });
    const doors = [
      await giveByHand(hub.url, "jo@example.com"),
      await giveByHand(second.url, "jo@example.com"),
    ];
    const guess = (at: number, code: string) => {
      const [url, door] = at % 2 === 0 ? [hub.url, doors[0]] : [second.url, doors[1]];
      return post(url, "/auth/second-factor", door?.cookie ?? "", { csrf: door?.csrf ?? "", code });
    };
    const statuses = [];
    for (let at = 0; at < 12; at += 1) statuses.push((await guess(at, "000000")).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await guess(0, toCode(secret, 1))).status).toBe(429);
    expect((await guess(1, codes[0] ?? "")).status).toBe(303);
    await hub.cli("user", "unlock", "jo@example.com");
    expect((await guess(0, toCode(secret, 1))).status).toBe(303);
  });
});

describe("an admin", () => {
  test("removes the factors of a user who has lost them, in a fresh session, on record", async () => {
    const lost = await secure(hub, "kim@example.com");
    const { codes } = await secure(hub, "root@example.com", "--admin");
    const { send } = await openApi(
      hub.url,
      await signInByHand(hub.url, "root@example.com", codes[0] ?? ""),
    );
    const users = (await send("GET", "/admin/api/users")).body.users as Array<{
      id: string;
      email: string;
    }>;
    const kim = users.find(({ email }) => email === "kim@example.com")?.id;
    const path = `/admin/api/users/${kim}/factors`;
    expect((await send("GET", path)).body).toMatchObject({
      factors: [{ kind: "totp", name: "App" }],
    });
    expect(await send("DELETE", path)).toMatchObject({ status: 200, body: { removed: 1 } });
    expect((await lost.browser.go("/profile")).url).toContain("/auth/login");
    await enter(lost.browser, "kim@example.com");
    expect(lost.browser.path()).toBe("/profile");
    const { changes } = (await send("GET", "/admin/api/changes?action=user.remove_factors")).body;
    expect(changes).toMatchObject([{ actor: "root@example.com", target: "kim@example.com" }]);
    ageSessions();
    expect((await send("DELETE", path)).body).toMatchObject({ code: "fresh_sign_in_required" });
  });

  test("removes them on the hub's machine", async () => {
    await secure(hub, "lea@example.com");
    const listed = await hub.cli("user", "factors", "lea@example.com");
    expect(listed.stdout).toContain("Recovery codes left: 10");
    const removed = await hub.cli("user", "remove-factors", "lea@example.com");
    expect(removed.stdout).toContain("Removed 1 second factor of lea@example.com.");
    const again = await hub.tryCli(["user", "remove-factors", "lea@example.com"]);
    expect(again.exitCode).toBe(1);
  });
});
