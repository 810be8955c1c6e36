import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT, UnsecuredJWT } from "jose";
import { transaction } from "../../store/database/database.ts";
import type { Store } from "../../store/store.ts";
import { newUser } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { insertIdentity } from "../../store/users/identities-table.ts";
import {
  findProviderSession,
  putProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { createSessions } from "../browser-sessions.ts";
import { openTestIssuer, type TestIssuer } from "../testing/open-test-issuer.ts";
import { createLogout } from "./end-by-logout.ts";
import { createProviderClient } from "./provider-client.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";
/** As Keycloak 26.7 sends it. */
const keycloakHeader = { alg: "RS256", typ: "logout+jwt" };

let dataDir: string;
let store: Store;
let host: TestIssuer;
let userId: string;
let forgotten: string[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-logout-"));
  store = await openTestStore({ dataDir });
  host = openTestIssuer();
  forgotten = [];
  const at = Date.now();
  userId = (await insertUser(store.db, newUser())).id;
  const account = { userId, issuer: host.issuer, subject: "s1" };
  const times = { createdAt: at, lastUsedAt: at };
  await insertIdentity(store.db, { id: "i1", email: "ann@example.com", ...account, ...times });
  await transaction(store.db, (trx) =>
    putProviderSession(trx, {
      ...account,
      sid: "sid-2",
      sealed: new Uint8Array([1]),
      tokensId: "t1",
      readAt: at,
      nextAt: at,
      failedSince: null,
      failure: null,
      endedAt: null,
      refusesTokens: false,
    }),
  );
});
afterEach(async () => {
  host[Symbol.dispose]();
  await store.close();
  await rm(dataDir, { recursive: true });
});

function toClaims(given: Record<string, unknown> = {}) {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: host.issuer,
    aud: "hub",
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    sub: "s1",
    sid: "sid-1",
    events: { [event]: {} },
    typ: "Logout",
    ...given,
  };
}

function sign(
  claims: Record<string, unknown>,
  key: KeyObject | Uint8Array = host.ownKey,
  header: Record<string, unknown> = {},
) {
  return new SignJWT(claims).setProtectedHeader({ ...keycloakHeader, ...header }).sign(key);
}

/** Sessions of two sign-ins at the provider, and of one with a password; returns which of them are left. */
async function openSessions() {
  const sessions = createSessions({ db: store.db, now: Date.now });
  const visitor = { ipAddress: null, userAgent: null };
  const made = [["sid-1"], ["sid-2"], [null]].map(([sid = null]) => sessions.prepare(visitor, sid));
  for (const session of made) {
    await transaction(store.db, (trx) => session.begin(trx, userId));
  }
  return async () => {
    const found = await Promise.all(made.map(({ token }) => sessions.find(token)));
    return ["first", "second", "password"].filter((_, at) => found[at] !== null);
  };
}

function createEnd(ends: "all" | "sessions" = "sessions") {
  const { issuer } = host;
  const settings = { issuer, clientId: "hub", readClientSecret: () => null };
  return createLogout({
    db: store.db,
    now: Date.now,
    issuer,
    clientId: "hub",
    client: createProviderClient({ settings, groupsClaim: null, now: Date.now }),
    ends,
    forget: (user) => void forgotten.push(user),
    log: { info: () => {} },
  });
}

describe("a logout at the provider", () => {
  test("A logout token with a session ends the sessions of that one alone", async () => {
    const left = await openSessions();
    await createEnd()(await sign(toClaims()));
    expect(await left()).toEqual(["second", "password"]);
    expect(forgotten).toEqual([userId]);
  });

  test("A logout token without a subject ends the session that it names", async () => {
    const left = await openSessions();
    await createEnd()(await sign(toClaims({ sub: undefined })));
    expect(await left()).toEqual(["second", "password"]);
  });

  test("A logout token without a session ends all of the person that began at the provider", async () => {
    const left = await openSessions();
    await createEnd()(await sign(toClaims({ sid: undefined })));
    expect(await left()).toEqual(["password"]);
  });

  test("A session of another person is not ended by its name", async () => {
    const left = await openSessions();
    await createEnd()(await sign(toClaims({ sub: "s2" })));
    expect(await left()).toEqual(["first", "second", "password"]);
  });

  test("Tokens go with the sessions if the setting says so, and stay otherwise", async () => {
    const find = () => findProviderSession(store.db, userId);
    await createEnd()(await sign(toClaims({ sid: "sid-2" })));
    expect(await find()).toMatchObject({ endedAt: null, refusesTokens: false });
    await createEnd("all")(await sign(toClaims({ sid: "sid-1" })));
    expect(await find()).toMatchObject({ endedAt: null });
    await createEnd("all")(await sign(toClaims({ sid: "sid-2" })));
    expect(await find()).toMatchObject({
      endedAt: expect.any(Number),
      refusesTokens: true,
      sealed: null,
    });
  });
});

describe("a logout token that is not valid", () => {
  const strangers = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const now = Math.floor(Date.now() / 1000);

  test.each<[string, () => Promise<string> | string]>([
    ["of another issuer", () => sign(toClaims({ iss: "https://evil.example" }))],
    ["for another client", () => sign(toClaims({ aud: "other" }))],
    ["without an audience", () => sign(toClaims({ aud: undefined }))],
    ["without an issue time", () => sign(toClaims({ iat: undefined }))],
    ["without an expiry", () => sign(toClaims({ exp: undefined }))],
    ["that has expired", () => sign(toClaims({ iat: now - 400, exp: now - 200 }))],
    ["of the future", () => sign(toClaims({ iat: now + 400, exp: now + 500 }))],
    ["of an hour ago that still holds", () => sign(toClaims({ iat: now - 3600 }))],
    ["that holds for a day", () => sign(toClaims({ exp: now + 86_400 }))],
    ["without an id", () => sign(toClaims({ jti: undefined }))],
    ["without events", () => sign(toClaims({ events: undefined }))],
    ["with another event", () => sign(toClaims({ events: { "https://other.example": {} } }))],
    ["with the event as a text", () => sign(toClaims({ events: { [event]: "yes" } }))],
    ["with a nonce, as an ID token has", () => sign(toClaims({ nonce: "n" }))],
    ["without a subject and a session", () => sign(toClaims({ sub: undefined, sid: undefined }))],
    ["with a number as the subject", () => sign(toClaims({ sub: 7 }))],
    ["of the type of access tokens", () => sign(toClaims(), host.ownKey, { typ: "at+jwt" })],
    ["with another signer", () => sign(toClaims(), strangers)],
    ["without a signature", () => new UnsecuredJWT(toClaims()).encode()],
    [
      "signed with the client's secret",
      () => sign(toClaims(), new TextEncoder().encode("x".repeat(32)), { alg: "HS256" }),
    ],
    ["that was changed after signing", async () => `${await sign(toClaims())}x`],
    ["that is none", () => "logout"],
    ["that is empty", () => ""],
  ])("A logout token %s is refused, and ends nothing", async (_, make) => {
    const left = await openSessions();
    const ended = createEnd("all")(await make());
    await expect(ended).rejects.toMatchObject({
      code: "bad_request",
      message: "The logout token is not valid.",
    });
    expect(await left()).toEqual(["first", "second", "password"]);
    expect((await findProviderSession(store.db, userId))?.endedAt).toBeNull();
  });

  test("A logout token works once, also on two servers at once", async () => {
    const token = await sign(toClaims());
    const tries = await Promise.allSettled([createEnd()(token), createEnd()(token)]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(createEnd()(token)).rejects.toMatchObject({ code: "bad_request" });
  });
});
