/** Browsers and clients that alternate between two processes on one data folder, as behind a load balancer. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type Browser, type BrowserPage, createBrowser } from "./support/browser.ts";
import {
  callback,
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  signIn,
  type UserLogin,
} from "./support/oauth-fixture.ts";
import { openSecondProcess } from "./support/open-second-process.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;
let bases: [first: string, second: string];

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  bases = [fixture.base, owned.use(await openSecondProcess(fixture)).base];
  ada = await fixture.addUserWithPassword("ada@example.com");
});
afterAll(() => owned.disposeAsync());

const stopAtCallback = { stopAt: (url: URL) => url.href.startsWith(callback) };

/** The page with the address of the other process, which gets its forms. */
const toOther = (page: BrowserPage): BrowserPage => ({
  ...page,
  url: page.url.replace(bases[0], bases[1]),
});

describe("A browser that alternates between two processes", () => {
  test("A browser can sign in through two processes and stays signed in", async () => {
    const browser = createBrowser();
    const page = await browser.open(`${bases[0]}/auth/login`);
    const signedIn = await browser.submit(toOther(page), ada);
    expect(signedIn.status).toBe(200);
    for (const base of bases) {
      expect((await browser.open(`${base}/profile`)).text).toContain(ada.email);
    }
  });

  test("A browser gets a new token once from the other process", async () => {
    const browser = createBrowser();
    await signIn(browser, bases[0], ada);
    const page = await browser.open(`${bases[0]}/profile/tokens`);
    const shown = await browser.send(toOther(page), "/profile/tokens", {
      name: "laptop",
      expires_in_days: "",
    });
    expect(shown.text).toMatch(/hub_pat_[0-9a-f]{32}/);
    const again = await browser.open(`${bases[0]}/profile/tokens`);
    expect(again.text).not.toMatch(/hub_pat_[0-9a-f]{32}/);
  });

  test("An application can register, get consent and get tokens through two processes", async () => {
    const { clientId, code } = await fetchCode();
    const client = createTestOAuthClient(bases[0]);
    const tokens = Object(await (await client.redeem(clientId, code)).json());
    for (const base of bases) expect(await callStatus(base, tokens.access_token)).toBe(200);
    const later = await createTestOAuthClient(bases[1]).refresh(clientId, tokens.refresh_token);
    expect(later.status).toBe(200);
  });
});

const callStatus = async (base: string, token: string) =>
  (await postRpc(base, token, toToolCall("hub_list", {}))).status;

/** Registers and requests consent in the first process, and allows it in the second. */
async function fetchCode(
  browser: Browser = createBrowser(stopAtCallback),
): Promise<{ clientId: string; code: string }> {
  await signIn(browser, bases[0], ada);
  const client = createTestOAuthClient(bases[0]);
  const clientId = await client.register();
  const consent = await browser.open(client.toAuthorizeUrl(clientId));
  const back = await browser.submit(toOther(consent), { decision: "allow" });
  return { clientId, code: new URL(back.url).searchParams.get("code") ?? "" };
}

/** Sends the request to both processes at the same time. Returns the tokens of successful answers. */
async function requestConcurrently(round: number, request: (base: string) => Promise<Response>) {
  const order = round % 2 === 0 ? bases : bases.toReversed();
  const answers = await Promise.all(order.map(request));
  const got = answers.filter(({ status }) => status === 200);
  return await Promise.all(got.map(async (answer) => Object(await answer.json())));
}

/** Counts the pairs of tokens that are still valid in any process. */
async function countLive(clientId: string, pairs: ReadonlyArray<Record<string, string>>) {
  let live = 0;
  for (const { access_token: access = "", refresh_token: refresh = "" } of pairs) {
    const statuses = [];
    for (const base of bases) statuses.push(await callStatus(base, access));
    statuses.push((await createTestOAuthClient(bases[0]).refresh(clientId, refresh)).status);
    if (statuses.includes(200)) live += 1;
  }
  return live;
}

describe("Concurrent use of one credential in two processes", () => {
  const rounds = [0, 1, 2, 3];

  test.each(
    rounds,
  )("Concurrent use of one code leaves no valid tokens, round %d", async (round) => {
    const { clientId, code } = await fetchCode();
    const pairs = await requestConcurrently(round, (base) =>
      createTestOAuthClient(base).redeem(clientId, code),
    );
    expect(pairs.length).toBeLessThanOrEqual(1);
    expect(await countLive(clientId, pairs)).toBe(0);
  });

  test.each(
    rounds,
  )("Concurrent use of one refresh token leaves no valid tokens, round %d", async (round) => {
    const { clientId, code } = await fetchCode();
    const client = createTestOAuthClient(bases[0]);
    const first = Object(await (await client.redeem(clientId, code)).json());
    expect(await callStatus(bases[1], first.access_token)).toBe(200);
    const pairs = await requestConcurrently(round, (base) =>
      createTestOAuthClient(base).refresh(clientId, first.refresh_token),
    );
    expect(pairs.length).toBeLessThanOrEqual(1);
    expect(await countLive(clientId, [first, ...pairs])).toBe(0);
  });
});

nightlyTest("Failed sign-ins of all processes count towards one limit", async () => {
  const signInWithWrongPassword = async (base: string) => {
    const browser = createBrowser();
    const page = await browser.open(`${base}/auth/login`);
    const fields = { email: "guessed@example.com", password: "a wrong guess" };
    return (await browser.submit(page, fields)).status;
  };
  const statuses = [];
  for (let attempt = 0; attempt < 10; attempt += 1) {
    statuses.push(await signInWithWrongPassword(bases[attempt % 2 === 0 ? 0 : 1]));
  }
  expect(statuses).toEqual(Array(10).fill(401));
  expect([
    await signInWithWrongPassword(bases[0]),
    await signInWithWrongPassword(bases[1]),
  ]).toEqual([429, 429]);
});
