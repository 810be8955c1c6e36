/**
 * Protects: log lines and answers about internal errors contain no secrets. Requests to every kind of
 * endpoint are sent while the database refuses writes or lacks tables.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type BrowserPage, createBrowser } from "./support/browser.ts";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  signInAndDecide,
  verifier,
} from "./support/oauth-fixture.ts";
import { type Account, openAccount } from "./support/open-account.ts";
import { queryDatabase } from "./support/query-database.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { findSecrets } from "./support/secret-forms.ts";
import { usesPostgres } from "./support/test-database.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
const typedTexts = { next: "another password of ada's", value: "a value to encrypt" };
let fixture: OAuthFixture;
let ada: Account;
let client: ReturnType<typeof createTestOAuthClient>;
let code: string;
/** Pages that were opened before the failures. */
let pages: Record<"login" | "consent" | "tokens" | "password", BrowserPage>;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true, env: { HUB_LOG_LEVEL: "trace" } }));
  ada = await openAccount(fixture, "ada@example.com");
  client = createTestOAuthClient(fixture.base);
  const url = client.toAuthorizeUrl(clientId(), { state: "state-of-the-client" });
  const back = await signInAndDecide(ada.browser, url, ada);
  code = new URL(back.url).searchParams.get("code") ?? "";
  pages = {
    login: await createBrowser().open(`${fixture.base}/auth/login`),
    consent: await ada.browser.open(url),
    tokens: await ada.browser.open(`${fixture.base}/profile/tokens`),
    password: await ada.browser.open(`${fixture.base}/auth/password`),
  };
});
afterAll(() => owned.disposeAsync());

const grant = () => {
  const [first] = ada.grants;
  if (first === undefined) throw new Error("Ada has no grant.");
  return first;
};
const clientId = () => grant().clientId;

function breakDatabase(...statements: readonly string[]): void {
  for (const statement of statements) queryDatabase(fixture.hub.dataDir, statement);
}

async function callEveryEndpoint(): Promise<string[]> {
  const { browser, email, password, pat } = ada;
  const { tokens } = grant();
  const call = toToolCall("hub_list", {});
  const login = createBrowser();
  const change = { current: password, new_password: typedTexts.next, repeated: typedTexts.next };
  const named = { name: "laptop", expires_in_days: "" };
  const answers = [
    client.redeem(clientId(), code),
    client.refresh(clientId(), tokens.refresh_token),
    client.postForm("/oauth/revoke", { client_id: clientId(), token: tokens.access_token }),
    postRpc(fixture.base, pat.token, call),
    postRpc(fixture.base, tokens.access_token, call),
    browser.submit(pages.consent, { decision: "allow" }),
    browser.open(client.toAuthorizeUrl(clientId(), { state: "state-of-the-client" })),
    browser.send(pages.tokens, "/profile/tokens", named),
    browser.submit(pages.password, change),
    browser.send(pages.tokens, "/tools/encfields", { value: typedTexts.value }),
    login
      .open(`${fixture.base}/auth/login`)
      .then((page) => login.submit(page, { email, password })),
  ];
  return await Promise.all(
    answers.map(async (pending) => {
      const answer = await pending;
      return `${answer.status} ${typeof answer.text === "string" ? answer.text : await answer.text()}`;
    }),
  );
}

test("The log and the answers of internal errors contain no secrets of the requests", async () => {
  const secrets = new Set([
    ada.password,
    typedTexts.next,
    ada.pat.token,
    ada.browser.cookie("hub_session") ?? "",
    code,
    grant().tokens.access_token,
    grant().tokens.refresh_token,
    verifier,
    ...["state-of-the-client", pages.consent.url.split("/").at(-1) ?? ""],
  ]);
  breakDatabase(...["users", "sessions", "oauth_artifacts"].flatMap((table) => toRefusals(table)));
  const answers = await callEveryEndpoint();
  breakDatabase(
    "alter table oauth_artifacts rename to gone_artifacts",
    "alter table oauth_access_tokens rename to gone_tokens",
    "alter table connector_runs rename to gone_runs",
  );
  answers.push(...(await callEveryEndpoint()));
  expect(answers.filter((answer) => answer.startsWith("5")).length).toBeGreaterThan(5);
  const logged = [
    usesPostgres ? "PostgresError: broken" : "SQLiteError: broken",
    '"path":"/oauth/consent/…"',
  ];
  await waitFor(() => logged.every((part) => fixture.hub.stderr().includes(part)));
  expect(findSecrets(Buffer.from(fixture.hub.stderr()), secrets)).toEqual([]);
  const failures = answers.filter((answer) => answer.startsWith("5")).join("\n");
  expect(findSecrets(Buffer.from(failures), secrets)).toEqual([]);
});

/** Statements that create triggers which refuse every change of a table. */
function toRefusals(table: string): string[] {
  const kinds = ["insert", "update", "delete"];
  if (!usesPostgres)
    return kinds.map(
      (kind) =>
        `create trigger no_${kind}_${table} before ${kind} on ${table} begin select raise(abort, 'broken'); end`,
    );
  return [
    "create or replace function refuse() returns trigger language plpgsql as 'begin raise ''broken''; end'",
    ...kinds.map(
      (kind) =>
        `create trigger no_${kind}_${table} before ${kind} on ${table} execute function refuse()`,
    ),
  ];
}
