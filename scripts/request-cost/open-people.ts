import { type Browser, createBrowser } from "../../test/support/browser.ts";
import {
  callback,
  createTestOAuthClient,
  signInAndDecide,
} from "../../test/support/oauth-fixture.ts";
import type { RunningHub } from "../../test/support/start-hub.ts";

export const email = "cost@localhost";

/** A user with two sessions, who has been asked to allow one application and has allowed another. */
export type People = { browser: Browser; clientId: string; consentPath: string };

export async function openPeople(hub: RunningHub, base: string): Promise<People> {
  const browser = await signUp(hub, base);
  // A second session, for requests that end one.
  await signIn(createBrowser(), base, login.password);
  const client = createTestOAuthClient(base);
  const clientId = await client.register();
  const consentPath = await findConsent(browser, client.toAuthorizeUrl(clientId));
  await connectApplication(base).catch(() => {});
  return { browser, clientId, consentPath };
}

const login = { email, password: "correct horse battery staple 42" };

async function signUp(hub: RunningHub, base: string): Promise<Browser> {
  const made = await hub.cli("user", "password", email, "--json");
  const { one_time_password: first } = made.json<{ one_time_password: string }>();
  const browser = createBrowser();
  // The first page of the app is built at its first request, which can outlast the connection.
  await signIn(browser, base, first).catch(() => {});
  const page = await browser.open(`${base}/auth/password`);
  const names = page.forms.flatMap((form) => form.inputs.map(({ name }) => name));
  await browser.submit(page, {
    // An older hub also asks for the one-time password on this page.
    ...(names.includes("current") && { current: first }),
    new_password: login.password,
    repeated: login.password,
  });
  return browser;
}

async function signIn(browser: Browser, base: string, password: string): Promise<void> {
  await browser.submit(await browser.open(`${base}/auth/login`), { email, password });
}

/** The address of a consent page. */
async function findConsent(browser: Browser, authorizeUrl: string): Promise<string> {
  const page = await browser.open(authorizeUrl);
  const form = page.forms.find(({ buttons }) => buttons.some(({ name }) => name === "decision"));
  return form === undefined
    ? "/oauth/consent/absent"
    : new URL(form.action || page.url, page.url).pathname;
}

async function connectApplication(base: string): Promise<void> {
  const client = createTestOAuthClient(base);
  const clientId = await client.register();
  const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
  const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), login);
  const code = new URL(back.url).searchParams.get("code") ?? "";
  await client.redeem(clientId, code);
}
