import { createHash, randomBytes } from "node:crypto";
import { type Browser, type BrowserPage, createBrowser } from "./browser.ts";
import { type HubOptions, type RunningHub, startHub } from "./start-hub.ts";

export type Person = { email: string; password: string };

export type OAuthStage = AsyncDisposable & {
  hub: RunningHub;
  /** The issuer: the name under which browsers and clients know the hub. */
  base: string;
  /** A user who has changed the first password. */
  addPerson(email: string, options?: { tags?: string[]; admin?: boolean }): Promise<Person>;
};

/** A hub with people who can sign in. */
export async function openOAuthStage(options: HubOptions = {}): Promise<OAuthStage> {
  const hub = await startHub(options);
  const base = `http://localhost:${hub.port}`;
  return {
    hub,
    base,
    async addPerson(email, flags = {}) {
      const { tags = [], admin = false } = flags;
      const args = [...tags.flatMap((tag) => ["--tag", tag]), ...(admin ? ["--admin"] : [])];
      await hub.cli("user", "add", email, ...args);
      const made = await hub.cli("user", "password", email, "--json");
      const { one_time_password: first } = made.json<{ one_time_password: string }>();
      const password = `correct horse battery ${randomBytes(6).toString("hex")}`;
      const browser = createBrowser();
      await signIn(browser, base, { email, password: first });
      const page = await browser.open(`${base}/auth/password`);
      await browser.submit(page, { new_password: password, repeated: password });
      return { email, password };
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

export async function signIn(browser: Browser, base: string, person: Person): Promise<BrowserPage> {
  const page = await browser.open(`${base}/auth/login`);
  return await browser.submit(page, { email: person.email, password: person.password });
}

const stepsMax = 5;

/** What a person does who was sent to this address by a client: sign in where asked, and decide. */
export async function followAsPerson(
  browser: Browser,
  url: string,
  person: Person,
  decision: "allow" | "deny" = "allow",
): Promise<BrowserPage> {
  let page = await browser.open(url);
  for (let step = 0; step < stepsMax; step += 1) {
    const names = page.forms.flatMap((form) => [...form.inputs, ...form.buttons]);
    if (names.some(({ name }) => name === "password")) {
      page = await browser.submit(page, { email: person.email, password: person.password });
    } else if (names.some(({ name }) => name === "decision")) {
      page = await browser.submit(page, { decision });
    } else return page;
  }
  throw new Error(`No end of forms, the last at ${page.url}`);
}

/** The address of a native client of which no test needs that it listens. */
export const callback = "http://127.0.0.1:9/callback";
export const verifier = randomBytes(32).toString("base64url");

type Fields = Record<string, string>;
export type TokenAnswer = { access_token: string; refresh_token: string; error?: string };

/** A client of a test's own, which can send what no honest one would. */
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
    /** From nothing to tokens, through sign-in and consent. */
    async connect(person: Person) {
      const clientId = await register();
      const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
      const back = await followAsPerson(browser, toAuthorizeUrl(clientId), person);
      const code = new URL(back.url).searchParams.get("code") ?? "";
      const answer = await redeem(clientId, code);
      // Checked by what each test expects of it.
      const tokens = (await answer.json()) as TokenAnswer;
      return { clientId, browser, code, tokens };
    },
  };
}
