import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { createSessions } from "../identity/browser-sessions.ts";
import { openTestIssuer, type TestIssuer } from "../identity/testing/open-test-issuer.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { noMetrics } from "../lib/metrics/metrics.ts";
import { createKeyRing } from "../secrets/keys/key-ring.ts";
import type { Store } from "../store/store.ts";
import { newUser } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { findUserByEmail, insertUser } from "../store/users/users-table.ts";
import { loadSingleSignOn } from "./load-single-sign-on.ts";
import { openProvider } from "./open-provider.ts";

let dataDir: string;
let store: Store;
let host: TestIssuer;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-sso-"));
  store = await openTestStore({ dataDir });
  host = openTestIssuer();
});
afterEach(async () => {
  host[Symbol.dispose]();
  await store.close();
  await rm(dataDir, { recursive: true });
});

const ring = createKeyRing([new Uint8Array(32).fill(7)]);

async function open(env: Record<string, string>) {
  const warnings: unknown[] = [];
  const write = (...given: unknown[]) => warnings.push(given);
  const base = {
    config: loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } }).config,
    ring: { current: () => ring, reload: async () => ring },
    now: Date.now,
    // The test uses only these functions of the log.
    log: { warn: write, info: write } as unknown as Log,
  };
  const openUnder = await loadSingleSignOn({
    ...base,
    db: store.db,
    sessions: createSessions({ db: store.db, now: Date.now }),
    provider: await openProvider({ ...base, store }),
    metrics: noMetrics,
  });
  return { singleSignOn: openUnder("https://hub.example"), warnings };
}

/** Signs in with the issuer's claims. Returns the signed-in user or the refusal. */
async function signIn(more: Record<string, string>, claims: Record<string, unknown> = {}) {
  const { singleSignOn, warnings } = await open({
    HUB_OIDC_ISSUER: host.issuer,
    HUB_OIDC_CLIENT_ID: "hub",
    ...more,
  });
  if (singleSignOn === null) throw new Error("There is no single sign-on.");
  const { url, cookie } = await singleSignOn.begin({ destination: "/profile" });
  const { searchParams } = new URL(url);
  host.answerWith({ nonce: searchParams.get("nonce"), ...claims });
  const search = `?code=c&state=${searchParams.get("state")}`;
  const outcome = await singleSignOn
    .finish(search, cookie, { ipAddress: null, userAgent: null })
    .then(
      () => "in",
      (thrown) => `${thrown.code}`,
    );
  return { outcome, name: singleSignOn.name, query: searchParams, warnings };
}

test("A hub without a provider has no single sign-on", async () => {
  expect((await open({})).singleSignOn).toBeNull();
});

test("Browsers are redirected to the configured provider and back to the hub's address", async () => {
  const { name, query, outcome } = await signIn({ HUB_OIDC_NAME: "Example ID" });
  expect([name, outcome]).toEqual(["Example ID", "in"]);
  expect(query.get("client_id")).toBe("hub");
  expect(query.get("redirect_uri")).toBe("https://hub.example/auth/sso/callback");
});

test.each([
  ["pending", "nothing"],
  ["pending", "pending"],
  ["active", "active"],
] as const)("A new user is %s if the setting is %s", async (status, said) => {
  await signIn(said === "nothing" ? {} : { HUB_OIDC_NEW_USERS: said });
  expect(await findUserByEmail(store.db, "ada@example.com")).toMatchObject({ status });
});

test("An e-mail of a domain that is not allowed is refused, counted and logged", async () => {
  const { outcome, warnings } = await signIn({ HUB_OIDC_ALLOWED_DOMAINS: "example.org" });
  expect(outcome).toBe("forbidden");
  expect(warnings).toHaveLength(1);
  expect(await findUserByEmail(store.db, "ada@example.com")).toBeNull();
});

test("An e-mail without a verification claim is accepted if the settings trust it", async () => {
  const unsaid = { email_verified: undefined };
  expect((await signIn({}, unsaid)).outcome).toBe("forbidden");
  expect((await signIn({ HUB_OIDC_TRUST_EMAIL: "1" }, unsaid)).outcome).toBe("in");
});

test.each([
  "active",
  "disabled",
  "pending",
] as const)("a user who was added under the e-mail and is %s comes in as such, unless disabled", async (status) => {
  const { id } = await insertUser(store.db, newUser({ email: "ada@example.com", status }));
  const { outcome } = await signIn({ HUB_OIDC_NEW_USERS: "active" });
  expect(outcome).toBe(status === "disabled" ? "forbidden" : "in");
  const user = await findUserByEmail(store.db, "ada@example.com");
  expect(user).toMatchObject({ id, status });
});
