/** What an operator demands: a second factor at sign-in, and fresh sign-ins before what weighs. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createBrowser } from "../support/browser.ts";
import { callback, createTestOAuthClient } from "../support/oauth-fixture.ts";
import { createPageBrowser } from "../support/page-browser.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  addPerson,
  enter,
  findSession,
  giveByHand,
  openApi,
  password,
  post,
  readCodes,
  readField,
  readFormField,
  readSecret,
  signInByHand,
  toCode,
  toCookies,
  toNamedUrl,
} from "./factor-people.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  const env = { HUB_SECOND_FACTOR: "required", HUB_FRESH_SIGN_IN: "5", HUB_FRESH_DECISIONS: "1" };
  hub = owned.use(await startHub({ hasCheapPasswords: true, isHere: true, env }));
});
afterAll(() => owned.disposeAsync());

const ageSessions = () =>
  queryDatabase(hub.dataDir, "update sessions set fresh_at = fresh_at - 3600000");

/** A user who was made to set up a factor at the first sign-in. */
async function begin(email: string, ...flags: string[]) {
  const once = await addPerson(hub, email, ...flags);
  const browser = createPageBrowser(toNamedUrl(hub));
  await enter(browser, email, once);
  expect(browser.path()).toBe("/auth/second-factor/set-up");
  const secret = readSecret(browser.html());
  await browser.submit("/auth/second-factor/set-up/app", { code: toCode(secret) });
  const codes = readCodes(browser.html());
  expect(codes).toHaveLength(10);
  // The one-time password must be changed as always.
  await browser.go("/profile");
  expect(browser.path()).toBe("/auth/password");
  await browser.submit("/auth/password", { new_password: password, repeated: password });
  await browser.go("/profile");
  expect(browser.path()).toBe("/profile");
  return { browser, secret, codes };
}

describe("a hub that demands a second factor", () => {
  test("lets a user set one up before anything else, and keeps the last one", async () => {
    const { codes } = await begin("ada@example.com");
    const cookie = await signInByHand(hub.url, "ada@example.com", codes[0] ?? "");
    const { send } = await openApi(hub.url, cookie);
    const [factor] = (await send("GET", "/profile/api/factors")).body.factors as Array<{
      id: string;
    }>;
    const removed = await send("DELETE", `/profile/api/factors/${factor?.id}`);
    expect(removed).toMatchObject({ status: 409, body: { code: "conflict" } });
  });

  test("opens nothing before, and a wrong code shows the same secret again", async () => {
    const once = await addPerson(hub, "ben@example.com");
    const browser = createPageBrowser(toNamedUrl(hub));
    await enter(browser, "ben@example.com", once);
    const secret = readSecret(browser.html());
    await browser.submit("/auth/second-factor/set-up/app", { code: "000000" });
    expect([browser.path(), readSecret(browser.html())]).toEqual([
      "/auth/second-factor/set-up/app",
      secret,
    ]);
    for (const path of ["/profile", "/auth/password", "/auth/second-factor", "/auth/fresh"]) {
      expect((await browser.go(path)).url).toContain("/auth/login");
    }
  });

  test("does not let the password alone add a factor beside one that was set up meanwhile", async () => {
    const once = await addPerson(hub, "cleo@example.com");
    const thief = await giveByHand(hub.url, "cleo@example.com", once);
    const path = "/auth/second-factor/set-up";
    const page = await fetch(`${hub.url}${path}`, { headers: { cookie: thief.cookie } });
    const html = await page.text();
    const owner = await giveByHand(hub.url, "cleo@example.com", once);
    const own = await (
      await fetch(`${hub.url}${path}`, { headers: { cookie: owner.cookie } })
    ).text();
    const add = ({ cookie, csrf }: typeof owner, from: string) => {
      const code = toCode(readSecret(from));
      return post(hub.url, `${path}/app`, cookie, {
        csrf,
        state: readFormField(from, `${path}/app`, "state"),
        code,
      });
    };
    expect((await add(owner, own)).status).toBe(200);
    const late = await add(thief, html);
    expect([late.status, findSession(late)]).toEqual([422, ""]);
  });

  test("takes no secret of another browser or user", async () => {
    const [one, other] = ["dora@example.com", "ed@example.com"];
    const mallory = await giveByHand(hub.url, one, await addPerson(hub, one));
    const victim = await giveByHand(hub.url, other, await addPerson(hub, other));
    const path = "/auth/second-factor/set-up";
    const html = await (
      await fetch(`${hub.url}${path}`, { headers: { cookie: mallory.cookie } })
    ).text();
    const fields = {
      state: readFormField(html, `${path}/app`, "state"),
      code: toCode(readSecret(html)),
    };
    const { csrf, cookie } = victim;
    expect(fields.state).not.toBe("");
    expect((await post(hub.url, `${path}/app`, cookie, { ...fields, csrf })).status).toBe(422);
  });
});

describe("a hub that asks for fresh sign-ins", () => {
  test("asks before changes of access and before decisions, by the API and by pages, and answers again after one", async () => {
    const { codes } = await begin("root@example.com", "--admin");
    const cookie = await signInByHand(hub.url, "root@example.com", codes[0] ?? "");
    const before = await openApi(hub.url, cookie);
    const { users } = (await before.send("GET", "/admin/api/users")).body;
    const [user] = users as Array<{ id: string }>;
    const id = crypto.randomUUID();
    const asked: Array<[string, string, unknown, number]> = [
      ["POST", "/profile/api/tokens", { name: "t", scope: "mcp" }, 201],
      ["PATCH", `/admin/api/users/${user?.id}`, { role: "user" }, 200],
      ["POST", "/admin/api/users", { email: "new@example.com", role: "admin" }, 201],
      ["POST", "/admin/api/users", { email: "plain@example.com" }, 201],
      ["PATCH", `/admin/api/users/${user?.id}`, { add_tags: ["red"] }, 200],
      ["POST", `/admin/api/users/${user?.id}/enable`, undefined, 200],
      ["POST", `/profile/api/chat-accounts/links/${id}/confirm`, undefined, 404],
      ["PUT", `/manager/api/rows/${id}/secrets/token/reference`, { reference: id }, 404],
      ["PUT", `/manager/api/rows/${id}/rules`, {}, 400],
      ["DELETE", `/manager/api/rows/${id}/rules/${id}`, undefined, 404],
      ["POST", `/admin/api/users/${user?.id}/one-time-password`, undefined, 200],
      [
        "POST",
        `/manager/api/pending-calls/${id}/decision`,
        { decision: "approved", hash: "x" },
        404,
      ],
      ["PUT", `/manager/api/pending-calls/${id}/deputy`, { deputy: null }, 404],
      ["POST", `/manager/api/approvals/${id}/decide`, { decision: "approved", hash: "x" }, 404],
    ];
    ageSessions();
    for (const [method, path, body] of asked) {
      const refused = await before.send(method, path, body);
      expect([path, refused.status, refused.body.code, refused.body.address]).toEqual([
        path,
        403,
        "fresh_sign_in_required",
        "/auth/fresh",
      ]);
    }
    const csrf = readField(
      await (await fetch(`${hub.url}/auth/fresh`, { headers: { cookie } })).text(),
      "csrf",
    );
    const tokenForm = await post(hub.url, "/profile/tokens", cookie, {
      csrf,
      name: "t",
      scope: "mcp",
    });
    expect([tokenForm.status, tokenForm.headers.get("location")]).toEqual([
      303,
      "/auth/fresh?next=%2Fprofile%2Ftokens",
    ]);
    // What is no change of access goes on.
    expect((await before.send("PATCH", `/admin/api/users/${user?.id}`, { name: "N" })).status).toBe(
      200,
    );
    const confirmed = await post(hub.url, "/auth/fresh", cookie, { csrf, code: codes[1] ?? "" });
    const after = await openApi(hub.url, toCookies(confirmed));
    for (const [method, path, body, status] of asked) {
      const { body: answer, status: got } = await after.send(method, path, body);
      expect([path, got, answer.code === "fresh_sign_in_required"]).toEqual([path, status, false]);
    }
    const manage = await hub.makeManageToken("root@example.com");
    const headers = { authorization: `Bearer ${manage}`, "content-type": "application/json" };
    const byToken = await fetch(`${hub.url}/admin/api/users/${user?.id}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ role: "user" }),
    });
    expect([byToken.status, Object(await byToken.json()).code]).toEqual([
      403,
      "fresh_sign_in_required",
    ]);
  });

  test("asks before an application gets access, leads back to the consent page, and lets the user deny without", async () => {
    const { codes } = await begin("pia@example.com");
    const cookie = await signInByHand(hub.url, "pia@example.com", codes[0] ?? "");
    const base = toNamedUrl(hub);
    const client = createTestOAuthClient(base);
    const url = client.toAuthorizeUrl(await client.register());
    const browser = createBrowser({ stopAt: (next) => next.href.startsWith(callback) });
    browser.setCookie(base, "hub_session", cookie.slice("hub_session=".length));
    ageSessions();
    const consent = await browser.open(url);
    const asked = await browser.submit(consent, { decision: "allow" });
    expect(new URL(asked.url).pathname).toBe("/auth/fresh");
    const again = await browser.submit(asked, { code: codes[1] ?? "" });
    expect(again.url).toBe(consent.url);
    const back = await browser.submit(again, { decision: "allow" });
    expect(new URL(back.url).searchParams.get("code")).toBeString();
    ageSessions();
    const other = await browser.open(url);
    const denied = await browser.submit(other, { decision: "deny" });
    expect(new URL(denied.url).searchParams.get("error")).toBe("access_denied");
  });
});
