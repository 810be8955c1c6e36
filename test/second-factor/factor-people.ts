import { expect } from "bun:test";
import { toTotpCode, toTotpStep } from "@hub/server/identity/second-factor/totp.ts";
import { createPageBrowser, type PageBrowser } from "../support/page-browser.ts";
import type { RunningHub } from "../support/start-hub.ts";

export const password = "a long enough pass phrase";

/** The address for which browsers make passkeys. */
export const toNamedUrl = (hub: Pick<RunningHub, "url">) =>
  hub.url.replace("127.0.0.1", "localhost");

/** Adds a user; resolves with the one-time password. */
export async function addPerson(
  hub: RunningHub,
  email: string,
  ...flags: string[]
): Promise<string> {
  const added = await hub.cli("user", "add", email, "--password", "--json", ...flags);
  return added.json<{ one_time_password: string }>().one_time_password;
}

/** A browser of a new user who has chosen a password. */
export async function signUp(
  hub: RunningHub,
  email: string,
  ...flags: string[]
): Promise<PageBrowser> {
  const once = await addPerson(hub, email, ...flags);
  const browser = createPageBrowser(toNamedUrl(hub));
  await enter(browser, email, once);
  await browser.submit("/auth/password", { new_password: password, repeated: password });
  expect(browser.path()).toBe("/profile");
  return browser;
}

export async function enter(browser: PageBrowser, email: string, given = password) {
  await browser.go("/auth/login?next=%2Fprofile");
  return await browser.submit("/auth/login", { email, password: given });
}

export const readField = (html: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";

/** A field of the form that goes to this address. */
export const readFormField = (html: string, action: string, name: string) =>
  readField(new RegExp(`action="${action}".*?</form>`, "s").exec(html)?.[0] ?? "", name);

const recoveryCode = /\b(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}\b/g;
export const readCodes = (html: string) => html.match(recoveryCode) ?? [];

/** The secret of a set-up page as the hub stores it. */
export function readSecret(html: string): string {
  const typed = /<pre class="wrap">([A-Z2-7]+)<\/pre>/.exec(html)?.[1] ?? "";
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...typed].map((char) => alphabet.indexOf(char).toString(2).padStart(5, "0"));
  const bytes =
    bits
      .join("")
      .match(/.{8}/g)
      ?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return Buffer.from(bytes).toString("base64url");
}

/** The code of the current step, or of one that is away. That of the current step or the next is valid for 30 seconds. */
export const toCode = (secret: string, away = 0) =>
  toTotpCode(secret, toTotpStep(Date.now()) + away);

type Secured = { browser: PageBrowser; secret: string; codes: string[] };

/** A user with an app for codes. */
export async function secure(hub: RunningHub, email: string, ...flags: string[]): Promise<Secured> {
  const browser = await signUp(hub, email, ...flags);
  await browser.go("/profile/second-factor/add");
  const secret = readSecret(browser.html());
  await browser.submit("/profile/second-factor/add/app", { code: toCode(secret) });
  const codes = readCodes(browser.html());
  expect(codes).toHaveLength(10);
  return { browser, secret, codes };
}

export const toCookies = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");

/** Sends a form as an attacker composes it. */
export const post = (url: string, path: string, cookie: string, fields: Record<string, string>) =>
  fetch(`${url}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, accept: "text/html" },
    body: new URLSearchParams(fields),
  });

/** Gives the password by hand: the cookies of the browser, and the token of its forms. */
export async function giveByHand(url: string, email: string, given = password) {
  const page = await fetch(`${url}/auth/login`);
  const form = toCookies(page);
  const csrf = readField(await page.text(), "csrf");
  const entered = await post(url, "/auth/login", form, { csrf, email, password: given });
  return { csrf, form, entered, cookie: `${form}; ${toCookies(entered)}` };
}

/** Signs in with a recovery code, and returns the cookie of the session. */
export async function signInByHand(url: string, email: string, code: string): Promise<string> {
  const { csrf, cookie } = await giveByHand(url, email);
  const done = await post(url, "/auth/second-factor", cookie, { csrf, code });
  expect(done.status).toBe(303);
  return findSession(done);
}

export const findSession = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .find((line) => line.startsWith("hub_session=")) ?? "";

/** The API as the app calls it. */
export async function openApi(url: string, cookie: string) {
  const ask = async (method: string, path: string, csrf: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { cookie, "x-csrf-token": csrf, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // Answers of the API are objects.
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const csrf = String((await ask("GET", "/profile/api/me", "", undefined)).body.csrf_token);
  return {
    send: (method: string, path: string, body?: unknown) => ask(method, path, csrf, body),
  };
}
