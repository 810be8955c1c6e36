/**
 * Protects: who asks without a right to know learns nothing of who or what is there. Answers are
 * compared byte by byte, apart from the names that they were asked with and what is random in each.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createBrowser } from "./support/browser.ts";
import {
  callback,
  createTestOAuthClient,
  followAsPerson,
  type OAuthStage,
  openOAuthStage,
  type Person,
  signIn,
} from "./support/oauth-stage.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
let stage: OAuthStage;
let ada: Person;
let disabled: Person;
let client: ReturnType<typeof createTestOAuthClient>;

beforeAll(async () => {
  stage = owned.use(await openOAuthStage());
  ada = await stage.addPerson("ada@example.com");
  disabled = await stage.addPerson("disabled@example.com");
  await stage.hub.cli("user", "disable", disabled.email);
  await stage.hub.cli("user", "add", "no-password@example.com");
  await stage.hub.cli("user", "add", "one-time@example.com");
  await stage.hub.cli("user", "password", "one-time@example.com");
  client = createTestOAuthClient(stage.base);
});
afterAll(() => owned.disposeAsync());

/** Random, or said by the text itself: the length of one that names its asker. */
const leftOut = new Set(["date", "x-request-id", "content-length"]);

/** An answer as whoever compares it sees it, without `names`, which the asker knows. */
async function toSeen(answer: Response, names: readonly string[] = []): Promise<string> {
  const text = await answer.text();
  const headers = [...answer.headers]
    .filter(([name]) => !leftOut.has(name))
    .map((header) => header.join(": ").replace(/^(set-cookie: \w+=)[\w-]+/, "$1…"));
  const seen = [answer.status, ...headers, text].join("\n");
  return names
    .reduce((left, name) => left.replaceAll(name, "NAME"), seen)
    .replace(/(name="csrf" value=")[\w-]+/g, "$1…");
}

/** What all of them are; fails with the first that differs. */
async function expectSame(answers: readonly Promise<string>[]): Promise<string> {
  const [first = "", ...others] = await Promise.all(answers);
  for (const other of others) expect(other).toBe(first);
  return first;
}

async function tryLogin(email: string, password: string): Promise<string> {
  const page = await fetch(`${stage.base}/auth/login`);
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const body = new URLSearchParams({ csrf, email, password });
  const headers = { cookie };
  const answer = await fetch(`${stage.base}/auth/login`, { method: "POST", headers, body });
  return await toSeen(answer, [email]);
}

test("a sign-in that fails looks the same whoever it is tried as", async () => {
  const wrong = "a password that is nobody's";
  const seen = await expectSame([
    tryLogin("nobody@example.com", wrong),
    tryLogin(ada.email, wrong),
    tryLogin(disabled.email, wrong),
    // The right one does not tell either.
    tryLogin(disabled.email, disabled.password),
    tryLogin("no-password@example.com", wrong),
    tryLogin("no-password@example.com", ""),
    tryLogin("one-time@example.com", wrong),
  ]);
  expect(seen).toStartWith("401\n");
});

test("a bearer token that opens nothing looks the same, whatever is wrong with it", async () => {
  const { token: revoked, tokenId } = await stage.hub.addUser("revoked@example.com");
  await stage.hub.cli("token", "revoke", tokenId);
  const { token: ofDisabled } = await stage.hub.addUser("out@example.com");
  await stage.hub.cli("user", "disable", "out@example.com");
  const tokens = [revoked, ofDisabled, `hub_pat_${"0".repeat(32)}`, `hub_oat_${"0".repeat(32)}`];
  const seen = await expectSame(
    tokens.map(async (token) => toSeen(await postRpc(stage.base, token, toToolCall("x", {})))),
  );
  expect(seen).toStartWith("401\n");
  const askApi = (token: string) =>
    fetch(`${stage.base}/profile/api/me`, { headers: { authorization: `Bearer ${token}` } });
  await expectSame(tokens.slice(0, 3).map(async (token) => toSeen(await askApi(token))));
});

test("a cookie that opens nothing looks the same, whether it ever did", async () => {
  const browser = createBrowser();
  const page = await signIn(browser, stage.base, ada);
  const ended = browser.cookie("hub_session") ?? "";
  await browser.send(page, "/auth/logout", {});
  for (const path of ["/profile", "/profile/api/me", "/oauth/consent/unknown"]) {
    const ask = (token: string) =>
      fetch(`${stage.base}${path}`, {
        headers: { cookie: `hub_session=${token}` },
        redirect: "manual",
      });
    const cookies = [ended, "A".repeat(43), "no session's form"];
    await expectSame(cookies.map(async (token) => toSeen(await ask(token))));
  }
});

describe("the token endpoint", () => {
  async function connect(person: Person) {
    const connected = await client.connect(person);
    expect(connected.tokens.access_token).toBeString();
    return connected;
  }

  test("refuses a code in one way, whether it was used, is another client's, or never was", async () => {
    const { clientId, code } = await connect(ada);
    const other = await client.register();
    const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
    const fresh = async (fields: Record<string, string> = {}) => {
      const url = client.toAuthorizeUrl(clientId, fields);
      const back = await followAsPerson(browser, url, ada);
      return new URL(back.url).searchParams.get("code") ?? "";
    };
    const codes = [await fresh(), await fresh(), await fresh()] as const;
    const seen = await expectSame([
      client.redeem(clientId, code).then(toSeen),
      client.redeem(other, codes[0]).then(toSeen),
      client.redeem(clientId, codes[1], { code_verifier: "w".repeat(43) }).then(toSeen),
      client.redeem(clientId, codes[2], { redirect_uri: `${callback}x` }).then(toSeen),
      client.redeem(clientId, "never-given-out").then(toSeen),
    ]);
    expect(seen).toStartWith("400\n");
    expect(seen).toContain('"invalid_grant"');
  });

  test("refuses a refresh token in one way, whether it was cut off, used, its user's who is out, or never was", async () => {
    const used = await connect(ada);
    expect((await client.refresh(used.clientId, used.tokens.refresh_token)).status).toBe(200);
    const cutOff = await connect(ada);
    const list = await stage.hub.cli("app", "list", "--json");
    const [application] = list
      .json<Array<{ id: string; client_id: string }>>()
      .filter((one) => one.client_id === cutOff.clientId);
    await stage.hub.cli("app", "revoke", application?.id ?? "");
    const eve = await stage.addPerson("eve@example.com");
    const ofEve = await connect(eve);
    await stage.hub.cli("user", "disable", eve.email);
    const seen = await expectSame([
      client.refresh(used.clientId, used.tokens.refresh_token).then(toSeen),
      client.refresh(cutOff.clientId, cutOff.tokens.refresh_token).then(toSeen),
      client.refresh(ofEve.clientId, ofEve.tokens.refresh_token).then(toSeen),
      client.refresh(used.clientId, "never-given-out").then(toSeen),
    ]);
    expect(seen).toStartWith("400\n");
  });

  test("takes a revocation in one way, whether the token is there, another client's, or never was", async () => {
    const { clientId, tokens } = await connect(ada);
    const revoke = (token: string) =>
      client.postForm("/oauth/revoke", { client_id: clientId, token }).then(toSeen);
    await expectSame([revoke(tokens.refresh_token), revoke("never-given-out")]);
  });
});

describe("registration and consent", () => {
  test("a registration looks the same but for its id, whoever registered the same before", async () => {
    const metadata = { redirect_uris: [callback], client_name: "Same" };
    const register = async () => {
      const answer = await fetch(`${stage.base}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      });
      const seen = await toSeen(answer);
      return seen.replace(/"client_id":"[^"]+"/, "").replace(/"client_id_issued_at":\d+/, "");
    };
    await expectSame([register(), register()]);
  });

  test("a consent that is not this browser's looks like one that never was", async () => {
    const adas = createBrowser();
    await signIn(adas, stage.base, ada);
    const pending = await adas.open(client.toAuthorizeUrl(await client.register()));
    const other = createBrowser();
    await signIn(other, stage.base, await stage.addPerson("bob@example.com"));
    const cookie = `hub_session=${other.cookie("hub_session")}`;
    const uid = pending.url.split("/").at(-1) ?? "";
    const names = [uid, "never-began"];
    await expectSame(
      names.map(async (name) =>
        toSeen(await fetch(`${stage.base}/oauth/consent/${name}`, { headers: { cookie } }), names),
      ),
    );
  });
});
