/**
 * Fills the OAuth server: strangers who register clients and begin authorizations that nobody ends, from many
 * networks, and a user who allows many applications and refreshes tokens without end. Prints what each costs and what
 * the database keeps of it: `bun scripts/attacks/people-oauth.ts [--only TEXT] [--hub CHECKOUT]`.
 * The exit code is 1 if an attack exceeds the law of `request-cost/law.ts` or the bounds below. Linux only, about a minute.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createBrowser } from "../../test/support/browser.ts";
import {
  callback,
  createTestOAuthClient,
  signIn,
  signInAndDecide,
  verifier,
} from "../../test/support/oauth-fixture.ts";
import { queryDatabase } from "../../test/support/query-database.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));
const mebibyte = 1024 * 1024;

await using watched = await startWatchedHub({
  main: join(checkout, "packages/cli/src/hub.ts"),
  // Requests of many networks come from this machine.
  env: { HUB_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" },
});
const { hub } = watched;
const base = `http://localhost:${hub.port}`;
const judge = createJudge(watched, flags.only);
const client = createTestOAuthClient(base);

let networks = 0;
/** An address of another network and area. */
function toAddress(): { "x-forwarded-for": string } {
  networks += 1;
  return {
    "x-forwarded-for": `${20 + (networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}.1`,
  };
}

function count(what: string): number {
  return queryDatabase<{ n: number }>(hub.dataDir, `select ${what}`)[0]?.n ?? 0;
}

async function inBatches(all: number, send: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < all; at += 20) {
    await Promise.all(Array.from({ length: Math.min(20, all - at) }, (_, next) => send(at + next)));
  }
}

/** Refuses more rows than what is stated to be kept. */
function checkKept(kept: number, keptMax: number, what: string): string {
  console.log(`${kept > keptMax ? "OVER THE BOUND: " : ""}${kept} ${what} kept, of ${keptMax}`);
  if (kept > keptMax) failures += 1;
  return `${kept} ${what}`;
}
let failures = 0;

/** The second registration is as long as it may be. */
const toUris = (count: number) =>
  Array.from({ length: count }, (_, at) => `https://a.example/${at}${"x".repeat(1_900)}`);
const registered = 2_200;
await judge.attack(
  "registrations of strangers",
  { bytes: registered * 40_000, requests: registered },
  async () => {
    await inBatches(registered, (at) =>
      fetch(`${base}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json", ...toAddress() },
        body: JSON.stringify({ redirect_uris: toUris(at % 2 === 0 ? 20 : 4) }),
      }).then((answer) => answer.text()),
    );
    const bytes = count("sum(length(metadata)) as n from oauth_clients");
    return checkKept(Math.ceil(bytes / mebibyte), 32, "MiB of clients");
  },
);

const clientId = await client.register();
const begun = 11_000;

await judge.attack(
  "authorizations of strangers",
  { bytes: begun * 6_000, requests: begun },
  async () => {
    // Every tenth is longer than it may be.
    const urls = [10_000, 5_600].map((chars) =>
      client.toAuthorizeUrl(clientId, { state: "s".repeat(chars) }),
    );
    let status = 0;
    await inBatches(begun, async (at) => {
      const answer = await fetch(urls[at % 10 === 0 ? 0 : 1] ?? base, {
        headers: toAddress(),
        redirect: "manual",
      });
      status = answer.status;
      await answer.text();
    });
    checkKept(count("count(*) as n from oauth_artifacts"), 10_000, "pending consents");
    const bytes = count("coalesce(sum(length(sealed)), 0) as n from oauth_artifacts");
    return `${status}; ${checkKept(Math.ceil(bytes / mebibyte), 64, "MiB of consents")}`;
  },
);

const login = { email: "ada@localhost", password: "correct horse battery staple 42" };
const made = await hub.cli("user", "add", login.email, "--password", "--json");
const first = made.json<{ one_time_password: string }>().one_time_password;
const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
await signIn(browser, base, { email: login.email, password: first }).catch(() => {});
const page = await browser.open(`${base}/auth/password`);
await browser.submit(page, { new_password: login.password, repeated: login.password });

const allowed = 150;
await judge.attack(
  "applications of a user",
  { bytes: allowed * 10_000, requests: allowed * 5 },
  async () => {
    let last = 0;
    for (let at = 0; at < allowed; at += 1) {
      // The limit of authorizations is for each network.
      const own = await fetch(`${base}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json", ...toAddress() },
        body: JSON.stringify({ redirect_uris: [callback] }),
      });
      const id = Object(await own.json()).client_id;
      const begun = await fetch(client.toAuthorizeUrl(id), {
        headers: { ...toAddress(), cookie: browser.cookieHeader(base) },
        redirect: "manual",
      });
      const consent = new URL(begun.headers.get("location") ?? "/", base);
      const cookie = begun.headers.getSetCookie().map((line) => line.split(";")[0]);
      const all = [browser.cookieHeader(base), ...cookie].join("; ");
      const shown = await (await fetch(consent, { headers: { cookie: all } })).text();
      const csrf = /name="csrf" value="([^"]*)"/.exec(shown)?.[1] ?? "";
      const decided = await fetch(consent, {
        method: "POST",
        headers: { cookie: all, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ csrf, decision: "allow" }),
      });
      const text = await decided.text();
      last = decided.status;
      const path = /\/oauth\/authorize\/[\w-]+/.exec(text)?.[0];
      if (path === undefined) continue;
      const back = await fetch(`${base}${path}`, {
        headers: { ...toAddress(), cookie: all },
        redirect: "manual",
      });
      const code =
        new URL(back.headers.get("location") ?? "/", base).searchParams.get("code") ?? "";
      await fetch(`${base}/oauth/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...toAddress() },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: id,
          code,
          redirect_uri: callback,
          code_verifier: verifier,
        }),
      }).then((answer) => answer.text());
    }
    return `${last}; ${checkKept(count("count(*) as n from oauth_grants"), 100, "applications of a user")}`;
  },
);

const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), login);
const code = new URL(back.url).searchParams.get("code") ?? "";
let tokens = Object(await (await client.redeem(clientId, code)).json());
const refreshed = 600;
await judge.attack(
  "refreshes of one application",
  { bytes: refreshed * 500, requests: refreshed },
  async () => {
    const before = count("count(*) as n from oauth_access_tokens");
    let last = "";
    for (let at = 0; at < refreshed; at += 1) {
      const answer = await fetch(`${base}/oauth/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...toAddress() },
        body: new URLSearchParams({
          grant_type: "refresh_token",
          client_id: clientId,
          refresh_token: String(tokens.refresh_token),
        }),
      });
      tokens = Object(await answer.json());
      last = `${answer.status} ${tokens.error ?? ""}`;
    }
    checkKept(count("count(*) as n from oauth_access_tokens") - before, 100, "access tokens");
    const kept = count(
      "count(*) as n from oauth_artifacts where model = 'RefreshToken' and consumed_at is not null",
    );
    return `${last}; ${checkKept(kept, 100, "used refresh tokens")}`;
  },
);

judge.end();
if (failures > 0) process.exitCode = 1;
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();
