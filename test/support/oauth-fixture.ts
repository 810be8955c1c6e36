import { createHash, randomBytes } from "node:crypto";
import { type Browser, type BrowserPage, createBrowser } from "./browser.ts";
import { type HubInProcess, startHubInProcess } from "./hub-in-process.ts";
import { type HubOptions, type RunningHub, startHub } from "./start-hub.ts";

export type UserLogin = { email: string; password: string };

export type OAuthFixture<Hub = RunningHub> = AsyncDisposable & {
  hub: Hub;
  /** The issuer: the address that browsers and clients use. */
  base: string;
  /** Adds a user who has replaced the one-time password. */
  addUserWithPassword(
    email: string,
    options?: { tags?: string[]; admin?: boolean },
  ): Promise<UserLogin>;
  /** Gives a user who exists a password that is not a one-time one. */
  givePassword(email: string): Promise<UserLogin>;
};

/** Starts a hub for users who sign in. */
export async function openOAuthFixture(options: HubOptions = {}): Promise<OAuthFixture> {
  return toFixture(await startHub({ hasCheapPasswords: true, ...options }));
}

/** The same in the process of the test, see `hub-in-process.ts`. */
export async function openOAuthFixtureInProcess(
  env: Record<string, string> = {},
): Promise<OAuthFixture<HubInProcess>> {
  return toFixture(await startHubInProcess(env));
}

function toFixture<Hub extends HubInProcess | RunningHub>(hub: Hub): OAuthFixture<Hub> {
  const base = `http://localhost:${hub.port}`;
  /** The command prints a one-time password, which is replaced. */
  const replacePassword = async (email: string, ...command: string[]): Promise<UserLogin> => {
    const made = await hub.cli(...command, "--json");
    const { one_time_password: first } = made.json<{ one_time_password: string }>();
    const password = `correct horse battery ${randomBytes(6).toString("hex")}`;
    const browser = createBrowser();
    await signIn(browser, base, { email, password: first });
    const page = await browser.open(`${base}/auth/password`);
    await browser.submit(page, { new_password: password, repeated: password });
    return { email, password };
  };
  return {
    hub,
    base,
    async addUserWithPassword(email, flags = {}) {
      const { tags = [], admin = false } = flags;
      const args = [...tags.flatMap((tag) => ["--tag", tag]), ...(admin ? ["--admin"] : [])];
      return await replacePassword(email, "user", "add", email, ...args, "--password");
    },
    givePassword: (email) => replacePassword(email, "user", "password", email),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

export async function signIn(
  browser: Browser,
  base: string,
  login: UserLogin,
): Promise<BrowserPage> {
  const page = await browser.open(`${base}/auth/login?next=%2Fprofile`);
  return await browser.submit(page, { email: login.email, password: login.password });
}

const stepsMax = 5;

/** Opens the authorization URL of a client, signs in if necessary, and decides on the consent page. */
export async function signInAndDecide(
  browser: Browser,
  url: string,
  login: UserLogin,
  decision: "allow" | "deny" = "allow",
): Promise<BrowserPage> {
  let page = await browser.open(url);
  for (let step = 0; step < stepsMax; step += 1) {
    const names = page.forms.flatMap((form) => [...form.inputs, ...form.buttons]);
    if (names.some(({ name }) => name === "password")) {
      page = await browser.submit(page, { email: login.email, password: login.password });
    } else if (names.some(({ name }) => name === "decision")) {
      page = await browser.submit(page, { decision });
    } else return page;
  }
  throw new Error(`Too many forms, the last at ${page.url}`);
}

/** The redirect URI of a native client that does not listen. */
export const callback = "http://127.0.0.1:9/callback";
export const verifier = randomBytes(32).toString("base64url");

type Fields = Record<string, string>;
export type TokenAnswer = { access_token: string; refresh_token: string; error?: string };

/** An OAuth client that can send invalid requests. */
export function createTestOAuthClient(base: string) {
  const post = (path: string, body: string, type: string) =>
    fetch(`${base}${path}`, { method: "POST", headers: { "content-type": type }, body });
  const postForm = (path: string, fields: Fields) =>
    post(path, new URLSearchParams(fields).toString(), "application/x-www-form-urlencoded");

  async function register(metadata: Record<string, unknown> = {}): Promise<string> {
    const body = { redirect_uris: [callback], client_name: "Test client", ...metadata };
    const answer = await post("/oauth/register", JSON.stringify(body), "application/json");
    return Object(await answer.json()).client_id;
  }

  function toAuthorizeUrl(clientId: string, fields: Fields = {}): string {
    const params = new URLSearchParams({
      client_id: clientId,
      response_type: "code",
      redirect_uri: callback,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: "the-state",
      ...fields,
    });
    return `${base}/oauth/authorize?${params}`;
  }

  const redeem = (clientId: string, code: string, fields: Fields = {}) =>
    postForm("/oauth/token", {
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...fields,
    });

  const refresh = (clientId: string, token: string) =>
    postForm("/oauth/token", {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: token,
    });

  return {
    register,
    toAuthorizeUrl,
    redeem,
    refresh,
    postForm,
    /** Registers a client, signs in, consents and gets tokens. */
    async connect(login: UserLogin) {
      const clientId = await register();
      const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
      const back = await signInAndDecide(browser, toAuthorizeUrl(clientId), login);
      const code = new URL(back.url).searchParams.get("code") ?? "";
      const answer = await redeem(clientId, code);
      // The cast is safe: each test checks the tokens.
      const tokens = (await answer.json()) as TokenAnswer;
      return { clientId, browser, code, tokens };
    },
  };
}
