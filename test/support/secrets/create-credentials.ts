import { type Browser, type BrowserPage, createBrowser } from "../browser.ts";
import {
  callback,
  createTestOAuthClient,
  signIn,
  signInAndDecide,
  verifier,
} from "../oauth-fixture.ts";
import type { SecretFixture, SignedInFixture } from "./secret-registry.ts";

const atCallback = { stopAt: (url: URL) => url.href.startsWith(callback) };
const paramOf = (url: string, name: string) => new URL(url).searchParams.get(name) ?? "";

/** Signs in with the first, one-time, chosen, refused and wrong passwords. */
export async function signInWithPasswords(fixture: SecretFixture): Promise<SignedInFixture> {
  const welcome = /one-time password:\s+(\S+)/.exec(fixture.oauth.hub.stdout())?.[1];
  fixture.registry.add("one-time password", welcome);
  fixture.registry.add("personal token", fixture.oauth.hub.adminToken());
  let ada = await fixture.oauth.addUserWithPassword("ada@example.com");
  fixture.registry.add("password", ada.password);
  const fresh = await openLogin(fixture);
  const wrongPassword = { email: ada.email, password: "wrong-but-nearly-right-1" };
  await fresh.browser.submit(fresh.page, wrongPassword);
  const swapped = { email: "typed-in-the-wrong-field", password: "swapped-with-the-email" };
  await fresh.browser.submit(fresh.page, swapped);
  await fresh.browser.submit(fresh.page, { email: "nobody@example.com", password: ada.password });
  fixture.registry.add("password", wrongPassword.password, swapped.password);
  fixture.registry.add("password in the field for e-mails", swapped.email);

  const first = createBrowser(atCallback);
  await signIn(first, fixture.oauth.base, ada);
  const next = `${ada.password} "changed" & <kept>`;
  const refused = "repeated-wrongly-in-haste";
  for (const repeated of [refused, next]) {
    const page = await first.open(`${fixture.oauth.base}/auth/password`);
    await first.submit(page, { current: ada.password, new_password: next, repeated });
  }
  fixture.registry.add("password", next, refused);
  ada = { ...ada, password: next };
  const given = await fixture.oauth.hub.cli("user", "password", ada.email, "--json");
  const made: unknown = given.json();
  fixture.registry.add("one-time password", Object(made).one_time_password);
  const login = await openLogin(fixture);
  const oneTimeLogin = { email: ada.email, password: Object(made).one_time_password };
  await login.browser.submit(login.page, oneTimeLogin);
  const page = await login.browser.open(`${fixture.oauth.base}/auth/password`);
  const last = `${next} again`;
  const fields = { new_password: last, repeated: last };
  await login.browser.submit(page, fields);
  fixture.registry.add("password", last);
  ada = { ...ada, password: last };
  const browser = createBrowser(atCallback);
  await signIn(browser, fixture.oauth.base, ada);
  return { ...fixture, ada, browser };
}

async function openLogin(fixture: SecretFixture): Promise<{ browser: Browser; page: BrowserPage }> {
  const fresh = createBrowser();
  return { browser: fresh, page: await fresh.open(`${fixture.oauth.base}/auth/login`) };
}

/** Creates tokens by the command line, over the API and on the page, and revokes one. */
export async function createPersonalTokens(fixture: SignedInFixture): Promise<void> {
  const { cli } = fixture.oauth.hub;
  const made = await cli("token", "create", "--user", fixture.ada.email, "--name", "cli", "--json");
  const first = made.json<{ id: string; token: string }>();
  const { token, id } = Object(await makeTokenBySession(fixture));
  await requestApi(fixture, "POST", `/admin/api/tokens/${id}/revoke`);
  const page = await fixture.browser.open(`${fixture.oauth.base}/profile/tokens`);
  const shown = await fixture.browser.send(page, "/profile/tokens", {
    name: "page",
    expires_in_days: "1",
  });
  const onPage = /hub_pat_[0-9a-f]{32}/.exec(shown.text)?.[0];
  fixture.registry.add("personal token", first.token, token, onPage);
  await fixture.browser.open(`${fixture.oauth.base}/profile/tokens`);
}

/** Creates a token over the API with a session, because tokens cannot create tokens. */
async function makeTokenBySession({ oauth, browser }: SignedInFixture): Promise<unknown> {
  const cookie = `hub_session=${browser.cookie("hub_session")}`;
  const me = await fetch(`${oauth.base}/profile/api/me`, { headers: { cookie } });
  const headers = {
    cookie,
    "x-csrf-token": Object(await me.json()).csrf_token,
    "content-type": "application/json",
  };
  const body = JSON.stringify({ name: "api" });
  const made = await fetch(`${oauth.base}/profile/api/tokens`, { method: "POST", headers, body });
  if (made.status !== 201) throw new Error(await made.text());
  return await made.json();
}

/** Connects an application four times: allowed, with a replayed code, denied, and without a decision. */
export async function connectApplications(fixture: SignedInFixture): Promise<string> {
  const client = createTestOAuthClient(fixture.oauth.base);
  fixture.registry.add("verifier", verifier);
  const id = await client.register({ client_uri: "https://client.example" });
  const state = (name: string) => `state-of-a-client-${name}`;
  const decide = async (name: string, decision: "allow" | "deny") => {
    fixture.registry.add("state of a client", state(name));
    const url = client.toAuthorizeUrl(id, { state: state(name), scope: "mcp offline_access" });
    return (await signInAndDecide(fixture.browser, url, fixture.ada, decision)).url;
  };
  await decide("denied", "deny");
  const codes = [await decide("replayed", "allow"), await decide("kept", "allow")];
  fixture.registry.add("code", ...codes.map((url) => paramOf(url, "code")));
  let access = "";
  for (const url of codes) {
    const redeemed = Object(await (await client.redeem(id, paramOf(url, "code"))).json());
    const later = Object(await (await client.refresh(id, redeemed.refresh_token)).json());
    fixture.registry.add("token of an application", redeemed.access_token, redeemed.refresh_token);
    fixture.registry.add("token of an application", later.access_token, later.refresh_token);
    access = later.access_token;
  }
  await client.redeem(id, paramOf(codes[0] ?? "", "code"));
  await client.redeem(id, "a-code-that-does-not-exist");
  fixture.registry.add("state of a client", state("unanswered"));
  const undecided = createBrowser(atCallback);
  const signInPage = await undecided.open(
    client.toAuthorizeUrl(id, { state: state("unanswered") }),
  );
  fixture.registry.add("pending consent", paramOf(signInPage.url, "next").split("/").at(-1));
  return access;
}

/** Signs in at the provider, once completely and once with a forged state. */
export async function signInAtProvider(fixture: SecretFixture): Promise<void> {
  const email = "sso@example.com";
  fixture.provider.signInAs({ sub: "subject-of-sso", email, email_verified: true, name: "Sso" });
  const atProvider = createBrowser({ stopAt: (url) => url.pathname === "/auth/sso/callback" });
  for (const alter of [(url: URL) => url, forgeState]) {
    const atHub = createBrowser({ stopAt: (url) => url.origin === fixture.provider.issuer });
    const { url } = await atHub.open(`${fixture.oauth.base}/auth/sso`);
    fixture.registry.add(
      "state and nonce of single sign-on",
      paramOf(url, "state"),
      paramOf(url, "nonce"),
    );
    const back = (await atProvider.open(url)).url;
    fixture.registry.add("code of single sign-on", paramOf(back, "code"));
    const page = await atHub.open(alter(new URL(back)).href);
    if (page.status !== (alter === forgeState ? 403 : 200)) throw new Error(page.text);
  }
}

function forgeState(url: URL): URL {
  url.searchParams.set("state", "forged");
  return url;
}

async function requestApi(fixture: SecretFixture, method: string, path: string): Promise<unknown> {
  const answer = await fetch(`${fixture.oauth.base}${path}`, {
    method,
    headers: { authorization: `Bearer ${fixture.manageToken}` },
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return await answer.json();
}
