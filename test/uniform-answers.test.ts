/**
 * Protects: unauthorized callers all get the same answer, whatever exists. Answers are compared byte by
 * byte, without the names from the request and without random values.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
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
let ada: UserLogin;
let disabled: UserLogin;
let client: ReturnType<typeof createTestOAuthClient>;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  ada = await fixture.addUserWithPassword("ada@example.com");
  disabled = await fixture.addUserWithPassword("disabled@example.com");
  await fixture.hub.cli("user", "disable", disabled.email);
  await fixture.hub.cli("user", "add", "no-password@example.com");
  await fixture.hub.cli("user", "add", "one-time@example.com");
  await fixture.hub.cli("user", "password", "one-time@example.com");
  client = createTestOAuthClient(fixture.base);
});
afterAll(() => owned.disposeAsync());

/** Headers that are random or depend on the length of a name. */
const ignoredHeaders = new Set(["date", "x-request-id", "content-length"]);

/** An answer in comparable form, without random values and the caller's own `names`. */
async function toComparable(answer: Response, names: readonly string[] = []): Promise<string> {
  const text = await answer.text();
  const headers = [...answer.headers]
    .filter(([name]) => !ignoredHeaders.has(name))
    .map((header) => header.join(": ").replace(/^(set-cookie: \w+=)[\w-]+/, "$1…"));
  const comparable = [answer.status, ...headers, text].join("\n");
  return names
    .reduce((left, name) => left.replaceAll(name, "NAME"), comparable)
    .replace(/(name="csrf" value=")[\w-]+/g, "$1…");
}

/** Checks that all answers are equal, and returns the first. */
async function expectSame(answers: readonly Promise<string>[]): Promise<string> {
  const [first = "", ...others] = await Promise.all(answers);
  for (const other of others) expect(other).toBe(first);
  return first;
}

async function tryLogin(email: string, password: string): Promise<string> {
  const page = await fetch(`${fixture.base}/auth/login`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const body = new URLSearchParams({ csrf, email, password });
  const headers = { cookie };
  const answer = await fetch(`${fixture.base}/auth/login`, { method: "POST", headers, body });
  return await toComparable(answer, [email]);
}

test("Failed sign-ins get the same answer for every e-mail, existing or not", async () => {
  const wrong = "a password that is nobody's";
  const comparable = await expectSame([
    tryLogin("nobody@example.com", wrong),
    tryLogin(ada.email, wrong),
    tryLogin(disabled.email, wrong),
    // A disabled user's correct password gets the same answer.
    tryLogin(disabled.email, disabled.password),
    tryLogin("no-password@example.com", wrong),
    tryLogin("no-password@example.com", ""),
    tryLogin("one-time@example.com", wrong),
  ]);
  expect(comparable).toStartWith("401\n");
});

test("Invalid bearer tokens get the same answer, whatever the reason", async () => {
  const { token: revoked, tokenId } = await fixture.hub.addUser("revoked@example.com");
  await fixture.hub.cli("token", "revoke", tokenId);
  const { token: ofDisabled } = await fixture.hub.addUser("out@example.com");
  await fixture.hub.cli("user", "disable", "out@example.com");
  const tokens = [revoked, ofDisabled, `hub_pat_${"0".repeat(32)}`, `hub_oat_${"0".repeat(32)}`];
  const comparable = await expectSame(
    tokens.map(async (token) =>
      toComparable(await postRpc(fixture.base, token, toToolCall("x", {}))),
    ),
  );
  expect(comparable).toStartWith("401\n");
  const requestApi = (token: string) =>
    fetch(`${fixture.base}/profile/api/me`, { headers: { authorization: `Bearer ${token}` } });
  await expectSame(tokens.slice(0, 3).map(async (token) => toComparable(await requestApi(token))));
});

test("Invalid session cookies get the same answer, whether they were ever valid", async () => {
  const browser = createBrowser();
  const page = await signIn(browser, fixture.base, ada);
  const ended = browser.cookie("hub_session") ?? "";
  await browser.send(page, "/auth/logout", {});
  for (const path of ["/profile", "/profile/api/me", "/oauth/consent/unknown"]) {
    const request = (token: string) =>
      fetch(`${fixture.base}${path}`, {
        headers: { cookie: `hub_session=${token}` },
        redirect: "manual",
      });
    const cookies = [ended, "A".repeat(43), "no session's form"];
    await expectSame(cookies.map(async (token) => toComparable(await request(token))));
  }
});

describe("The token endpoint", () => {
  async function connect(person: UserLogin) {
    const connected = await client.connect(person);
    expect(connected.tokens.access_token).toBeString();
    return connected;
  }

  nightlyTest("Used, foreign and unknown codes get the same answer", async () => {
    const { clientId, code } = await connect(ada);
    const other = await client.register();
    const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
    const fresh = async (fields: Record<string, string> = {}) => {
      const url = client.toAuthorizeUrl(clientId, fields);
      const back = await signInAndDecide(browser, url, ada);
      return new URL(back.url).searchParams.get("code") ?? "";
    };
    const codes = [await fresh(), await fresh(), await fresh()] as const;
    const comparable = await expectSame([
      client.redeem(clientId, code).then(toComparable),
      client.redeem(other, codes[0]).then(toComparable),
      client.redeem(clientId, codes[1], { code_verifier: "w".repeat(43) }).then(toComparable),
      client.redeem(clientId, codes[2], { redirect_uri: `${callback}x` }).then(toComparable),
      client.redeem(clientId, "never-given-out").then(toComparable),
    ]);
    expect(comparable).toStartWith("400\n");
    expect(comparable).toContain('"invalid_grant"');
  });

  test("Revoked, used, unknown and disabled users' refresh tokens get the same answer", async () => {
    const used = await connect(ada);
    expect((await client.refresh(used.clientId, used.tokens.refresh_token)).status).toBe(200);
    const revoked = await connect(ada);
    const list = await fixture.hub.cli("app", "list", "--json");
    const [application] = list
      .json<Array<{ id: string; client_id: string }>>()
      .filter((one) => one.client_id === revoked.clientId);
    await fixture.hub.cli("app", "revoke", application?.id ?? "");
    const eve = await fixture.addUserWithPassword("eve@example.com");
    const eveConnection = await connect(eve);
    await fixture.hub.cli("user", "disable", eve.email);
    const comparable = await expectSame([
      client.refresh(used.clientId, used.tokens.refresh_token).then(toComparable),
      client.refresh(revoked.clientId, revoked.tokens.refresh_token).then(toComparable),
      client.refresh(eveConnection.clientId, eveConnection.tokens.refresh_token).then(toComparable),
      client.refresh(used.clientId, "never-given-out").then(toComparable),
    ]);
    expect(comparable).toStartWith("400\n");
  });

  test("Revoking a known and an unknown token gets the same answer", async () => {
    const { clientId, tokens } = await connect(ada);
    const revoke = (token: string) =>
      client.postForm("/oauth/revoke", { client_id: clientId, token }).then(toComparable);
    await expectSame([revoke(tokens.refresh_token), revoke("never-given-out")]);
  });
});

describe("Registration and consent", () => {
  test("Repeated registrations get the same answer except for the id", async () => {
    const metadata = { redirect_uris: [callback], client_name: "Same" };
    const register = async () => {
      const answer = await fetch(`${fixture.base}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      });
      const comparable = await toComparable(answer);
      return comparable.replace(/"client_id":"[^"]+"/, "").replace(/"client_id_issued_at":\d+/, "");
    };
    await expectSame([register(), register()]);
  });

  test("Another browser's consent and an unknown consent get the same answer", async () => {
    const adas = createBrowser();
    await signIn(adas, fixture.base, ada);
    const pending = await adas.open(client.toAuthorizeUrl(await client.register()));
    const other = createBrowser();
    await signIn(other, fixture.base, await fixture.addUserWithPassword("bob@example.com"));
    const cookie = `hub_session=${other.cookie("hub_session")}`;
    const uid = pending.url.split("/").at(-1) ?? "";
    const names = [uid, "never-began"];
    await expectSame(
      names.map(async (name) =>
        toComparable(
          await fetch(`${fixture.base}/oauth/consent/${name}`, { headers: { cookie } }),
          names,
        ),
      ),
    );
  });
});
