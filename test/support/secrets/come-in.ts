import { type Browser, type BrowserPage, createBrowser } from "../browser.ts";
import {
  callback,
  createTestOAuthClient,
  followAsPerson,
  signIn,
  verifier,
} from "../oauth-stage.ts";
import type { SecretStage, SignedInStage } from "./secret-book.ts";

const atCallback = { stopAt: (url: URL) => url.href.startsWith(callback) };
const paramOf = (url: string, name: string) => new URL(url).searchParams.get(name) ?? "";

/** First start, one-time passwords, chosen ones, refused ones, wrong ones. */
export async function signInWithPasswords(at: SecretStage): Promise<SignedInStage> {
  const welcome = /one-time password:\s+(\S+)/.exec(at.stage.hub.stdout())?.[1];
  at.book.keep("one-time password", welcome);
  at.book.keep("personal token", at.stage.hub.adminToken());
  let ada = await at.stage.addPerson("ada@example.com");
  at.book.keep("password", ada.password);
  const fresh = await openLogin(at);
  const mistyped = { email: ada.email, password: "wrong-but-nearly-right-1" };
  await fresh.browser.submit(fresh.page, mistyped);
  const swapped = { email: "typed-in-the-wrong-field", password: "swapped-with-the-email" };
  await fresh.browser.submit(fresh.page, swapped);
  await fresh.browser.submit(fresh.page, { email: "nobody@example.com", password: ada.password });
  at.book.keep("password", mistyped.password, swapped.password);
  at.book.keep("password in the field for e-mails", swapped.email);

  const first = createBrowser(atCallback);
  await signIn(first, at.stage.base, ada);
  const next = `${ada.password} "changed" & <kept>`;
  const refused = "repeated-wrongly-in-haste";
  for (const repeated of [refused, next]) {
    const page = await first.open(`${at.stage.base}/auth/password`);
    await first.submit(page, { current: ada.password, new_password: next, repeated });
  }
  at.book.keep("password", next, refused);
  ada = { ...ada, password: next };
  const given = await at.stage.hub.cli("user", "password", ada.email, "--json");
  const made: unknown = given.json();
  at.book.keep("one-time password", Object(made).one_time_password);
  const login = await openLogin(at);
  const once = { email: ada.email, password: Object(made).one_time_password };
  await login.browser.submit(login.page, once);
  const page = await login.browser.open(`${at.stage.base}/auth/password`);
  const last = `${next} again`;
  const fields = { new_password: last, repeated: last };
  await login.browser.submit(page, fields);
  at.book.keep("password", last);
  ada = { ...ada, password: last };
  const browser = createBrowser(atCallback);
  await signIn(browser, at.stage.base, ada);
  return { ...at, ada, browser };
}

async function openLogin(at: SecretStage): Promise<{ browser: Browser; page: BrowserPage }> {
  const fresh = createBrowser();
  return { browser: fresh, page: await fresh.open(`${at.stage.base}/auth/login`) };
}

/** By the command line, over the API and on the page; some of them revoked again. */
export async function makePersonalTokens(at: SignedInStage): Promise<void> {
  const { cli } = at.stage.hub;
  const made = await cli("token", "create", "--user", at.ada.email, "--name", "cli", "--json");
  const first = made.json<{ id: string; token: string }>();
  const { token, id } = Object(await makeTokenBySession(at));
  await askApi(at, "POST", `/admin/api/tokens/${id}/revoke`);
  const page = await at.browser.open(`${at.stage.base}/profile/tokens`);
  const shown = await at.browser.send(page, "/profile/tokens", {
    name: "page",
    expires_in_days: "1",
  });
  const onPage = /hub_pat_[0-9a-f]{32}/.exec(shown.text)?.[0];
  at.book.keep("personal token", first.token, token, onPage);
  await at.browser.open(`${at.stage.base}/profile/tokens`);
}

/** Only a session makes tokens over the API. */
async function makeTokenBySession({ stage, browser }: SignedInStage): Promise<unknown> {
  const cookie = `hub_session=${browser.cookie("hub_session")}`;
  const me = await fetch(`${stage.base}/profile/api/me`, { headers: { cookie } });
  const headers = {
    cookie,
    "x-csrf-token": Object(await me.json()).csrf_token,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ name: "api" });
  const made = await fetch(`${stage.base}/profile/api/tokens`, { method: "POST", headers, body });
  if (made.status !== 201) throw new Error(await made.text());
  return await made.json();
}

/** One that stays connected, one that replays its code, one that is denied, one that nobody answers. */
export async function connectApplications(at: SignedInStage): Promise<string> {
  const client = createTestOAuthClient(at.stage.base);
  at.book.keep("verifier", verifier);
  const id = await client.register({ client_uri: "https://client.example" });
  const state = (name: string) => `state-of-a-client-${name}`;
  const goThrough = async (name: string, decision: "allow" | "deny") => {
    at.book.keep("state of a client", state(name));
    const url = client.toAuthorizeUrl(id, { state: state(name), scope: "mcp offline_access" });
    return (await followAsPerson(at.browser, url, at.ada, decision)).url;
  };
  await goThrough("denied", "deny");
  const codes = [await goThrough("replayed", "allow"), await goThrough("kept", "allow")];
  at.book.keep("code", ...codes.map((url) => paramOf(url, "code")));
  let access = "";
  for (const url of codes) {
    const redeemed = Object(await (await client.redeem(id, paramOf(url, "code"))).json());
    const later = Object(await (await client.refresh(id, redeemed.refresh_token)).json());
    at.book.keep("token of an application", redeemed.access_token, redeemed.refresh_token);
    at.book.keep("token of an application", later.access_token, later.refresh_token);
    access = later.access_token;
  }
  await client.redeem(id, paramOf(codes[0] ?? "", "code"));
  await client.redeem(id, "a-code-that-somebody-made-up");
  at.book.keep("state of a client", state("unanswered"));
  const left = createBrowser(atCallback);
  const asked = await left.open(client.toAuthorizeUrl(id, { state: state("unanswered") }));
  at.book.keep("pending consent", paramOf(asked.url, "next").split("/").at(-1));
  return access;
}

/** To the end, with a state that is not its own, and begun without coming back. */
export async function signInAtProvider(at: SecretStage): Promise<void> {
  const email = "sso@example.com";
  at.provider.signInAs({ sub: "subject-of-sso", email, email_verified: true, name: "Sso" });
  const away = createBrowser({ stopAt: (url) => url.pathname === "/auth/sso/callback" });
  for (const alter of [(url: URL) => url, forgeState]) {
    const begun = createBrowser({ stopAt: (url) => url.origin === at.provider.issuer });
    const { url } = await begun.open(`${at.stage.base}/auth/sso`);
    at.book.keep("state and nonce of single sign-on", paramOf(url, "state"), paramOf(url, "nonce"));
    const back = (await away.open(url)).url;
    at.book.keep("code of single sign-on", paramOf(back, "code"));
    const page = await begun.open(alter(new URL(back)).href);
    if (page.status !== (alter === forgeState ? 403 : 200)) throw new Error(page.text);
  }
}

function forgeState(url: URL): URL {
  url.searchParams.set("state", "forged");
  return url;
}

async function askApi(at: SecretStage, method: string, path: string): Promise<unknown> {
  const answer = await fetch(`${at.stage.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${at.manageToken}` },
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return await answer.json();
}
