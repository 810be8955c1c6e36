/**
 * Protects the codes and tokens of OAuth clients: a copied, replayed, exchanged or revoked one
 * gives no access, also with concurrent requests to two processes.
 */
import { describe, expect, test } from "bun:test";
import { hashToken } from "../identity/authenticate-bearer.ts";
import { listChanges } from "../store/changes-table.ts";
import {
  deleteOAuthGrant,
  insertOAuthGrant,
  listOAuthGrants,
  touchOAuthGrants,
} from "../store/oauth/oauth-grants.ts";
import type { Store } from "../store/store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { updateUser } from "../store/users/users-table.ts";
import {
  baseUrl,
  callback,
  challenge,
  openTestServer,
  toConsentRequest,
  verifier,
} from "./testing/open-test-server.ts";

type TestServer = Awaited<ReturnType<typeof openTestServer>>;

const isAlive = async ({ store }: TestServer, accessToken: string) =>
  (await store.reads.findOAuthTokenOwner(hashToken(accessToken))) !== null;

describe("a client that a user allowed", () => {
  test("An allowed client gets a token of the documented form for an hour, with its state and the issuer", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const state = "a state/with?odd&characters=+ü";
    const back = await hub.client.consent(await hub.client.authorize(id, { state }));
    expect(`${back.origin}${back.pathname}`).toBe(callback);
    expect(back.searchParams.get("state")).toBe(state);
    expect(back.searchParams.get("iss")).toBe(baseUrl);
    const { status, body } = await hub.client.redeem(id, back.searchParams.get("code") ?? "");
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "mcp" });
    expect(body.access_token).toMatch(/^hub_oat_[0-9a-f]{32}$/);
    const owner = await hub.store.reads.findOAuthTokenOwner(hashToken(body.access_token));
    expect(owner).toMatchObject({ userId: hub.user.id, expiresAt: expect.any(Number) });
    expect(hub.failures).toEqual([]);
  });

  test("A refresh issues tokens under the same grant", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const first = await hub.client.getTokens(id);
    const { body: second } = await hub.client.refresh(id, first.refresh_token);
    const { body: third } = await hub.client.refresh(id, second.refresh_token);
    expect(new Set([first, second, third].map((tokens) => tokens.refresh_token)).size).toBe(3);
    expect(await isAlive(hub, third.access_token)).toBe(true);
    expect(await listOAuthGrants(hub.store.db, { now: hub.clock.time })).toHaveLength(1);
  });

  test("A grant ends 30 days after the last refresh", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const day = 86_400_000;
    const tokens = await hub.client.getTokens(id);
    const [grant] = await listOAuthGrants(hub.store.db, { now: hub.clock.time });
    expect(Math.round(((grant?.expiresAt ?? 0) - hub.clock.time) / day)).toBe(30);
    hub.clock.time += 29 * day;
    const { body } = await hub.client.refresh(id, tokens.refresh_token);
    const [later] = await listOAuthGrants(hub.store.db, { now: hub.clock.time });
    expect(Math.round(((later?.expiresAt ?? 0) - hub.clock.time) / day)).toBe(30);
    hub.clock.time += 31 * day;
    expect((await hub.client.refresh(id, body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("A user has at most 100 applications: one more disconnects the longest unused, and records it", async () => {
    await using hub = await openTestServer();
    const { db } = hub.store;
    const grant = { userId: hub.user.id, clientId: "c", clientName: "C", scope: "mcp" };
    const address = { redirectUri: callback, resource: `${baseUrl}/mcp` };
    for (let at = 0; at < 100; at += 1) {
      const times = { createdAt: hub.clock.time + at, expiresAt: hub.clock.time + 60_000 };
      await insertOAuthGrant(db, { id: `g${at}`, ...grant, ...address, ...times });
    }
    await touchOAuthGrants(db, [{ id: "g0", at: hub.clock.time + 1_000 }]);
    await hub.client.getTokens(await hub.client.register());
    const left = await listOAuthGrants(db, { now: hub.clock.time });
    const ids = left.map(({ id }) => id);
    expect([ids.length, ids.includes("g0"), ids.includes("g1")]).toEqual([100, true, false]);
    expect(await listChanges(db, { action: "application.revoke", limit: 9 })).toMatchObject([
      { targetId: "g1", actorId: hub.user.id },
    ]);
  });

  test("A denied client gets the denial at its redirect URI", async () => {
    await using hub = await openTestServer();
    const started = await hub.client.authorize(await hub.client.register(), { state: "s1" });
    const back = await hub.client.consent(started, false);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "access_denied",
      state: "s1",
      iss: baseUrl,
    });
    expect(await listOAuthGrants(hub.store.db, { now: hub.clock.time })).toEqual([]);
  });
});

describe("a code", () => {
  test("A code works once: its replay revokes the tokens of the first redemption", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const code = await hub.client.getCode(id);
    const { body } = await hub.client.redeem(id, code);
    const replayed = await hub.client.redeem(id, code);
    expect([replayed.status, replayed.body.error]).toEqual([400, "invalid_grant"]);
    expect(await isAlive(hub, body.access_token)).toBe(false);
    expect((await hub.client.refresh(id, body.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("Two processes that redeem a code at once never issue two valid grants", async () => {
    await using hub = await openTestServer();
    await using second = await hub.openSecond();
    const id = await hub.client.register();
    const code = await hub.client.getCode(id);
    const both = await Promise.all([
      hub.client.redeem(id, code),
      second.client.redeem(id, code),
      hub.client.redeem(id, code),
    ]);
    expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of both.filter(({ status }) => status === 200)) {
      expect(await isAlive(hub, body.access_token)).toBe(false);
    }
    expect(await listOAuthGrants(hub.store.db, { now: hub.clock.time })).toEqual([]);
    expect(hub.failures).toEqual([]);
  });

  test("A code expires after a minute", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const code = await hub.client.getCode(id);
    hub.clock.time += 61_000;
    expect((await hub.client.redeem(id, code)).body.error).toBe("invalid_grant");
  });

  test("A code is refused with a wrong verifier, client or redirect URI", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const other = await hub.client.register();
    const code = await hub.client.getCode(id);
    const wrong = [
      hub.client.redeem(id, code, { code_verifier: "w".repeat(64) }),
      hub.client.redeem(id, code, { code_verifier: challenge }),
      hub.client.redeem(other, code),
      hub.client.redeem(id, code, { redirect_uri: `${callback}/other` }),
      hub.client.redeem(id, code, { resource: "https://other.example/mcp" }),
    ];
    for (const attempt of wrong) expect((await attempt).status).toBe(400);
    // Its own client can still redeem it: a stranger cannot use it up.
    expect((await hub.client.redeem(id, await hub.client.getCode(id))).status).toBe(200);
  });

  test("One consent issues only one code", async () => {
    await using hub = await openTestServer();
    const started = await hub.client.authorize(await hub.client.register());
    const backs = await Promise.allSettled([
      hub.client.consent(started),
      hub.client.consent(started),
    ]);
    const codes = backs.flatMap((back) =>
      back.status === "fulfilled" ? (back.value.searchParams.get("code") ?? []) : [],
    );
    expect(codes.length).toBeLessThanOrEqual(1);
  });
});

describe("the record of changes", () => {
  const listRecords = async ({ store }: { store: Store }) =>
    (await listChanges(store.db, { limit: 9 })).map(({ detail, ...change }) => ({
      ...change,
      detail: JSON.parse(detail),
    }));

  test("A consent is recorded as the user's change, with its client", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    await hub.client.getTokens(id);
    const { id: userId, email } = hub.user;
    const [grant] = await listOAuthGrants(hub.store.db, { userId, now: hub.clock.time });
    expect(await listRecords(hub)).toEqual([
      {
        id: expect.any(String),
        changedAt: hub.clock.time,
        actorId: userId,
        actor: email,
        via: "session",
        tokenId: null,
        ipAddress: "192.0.2.1",
        action: "application.allow",
        targetKind: "application",
        targetId: grant?.id ?? "none",
        target: "Test client",
        detail: { user: email, client_id: id },
      },
    ]);
  });

  test("A denied consent and a refresh are not recorded", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    await hub.client.consent(await hub.client.authorize(id), false);
    expect(await listRecords(hub)).toEqual([]);
    const { refresh_token: token } = await hub.client.getTokens(id);
    await hub.client.refresh(id, token);
    expect(await listRecords(hub)).toHaveLength(1);
  });

  test.each([
    "changes",
    "oauth_grants",
  ])("A consent and its record are stored together: not if the table %s cannot be written", async (table) => {
    await using hub = await openTestServer();
    const started = await hub.client.authorize(await hub.client.register());
    await runSql(
      hub.store.db,
      `create trigger refuse before insert on ${table}
      begin select raise(abort, 'disk full'); end`,
    );
    await expect(hub.client.consent(started)).rejects.toThrow("disk full");
    expect(await listOAuthGrants(hub.store.db, { now: hub.clock.time })).toEqual([]);
    expect(await listRecords(hub)).toEqual([]);
  });

  test("A client that revokes its token takes the consent back", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const { refresh_token: token } = await hub.client.getTokens(id);
    hub.client.moveTo("192.0.2.9");
    await hub.client.revoke(id, token);
    await hub.client.revoke(id, token);
    const [ended, ...older] = await listRecords(hub);
    expect(older).toHaveLength(1);
    expect(ended).toMatchObject({
      action: "application.revoke",
      via: "token",
      ipAddress: "192.0.2.9",
      actorId: hub.user.id,
      tokenId: ended?.targetId,
      targetId: older[0]?.targetId,
      detail: { user: hub.user.email, reason: "revoked_by_client" },
    });
  });

  test("The end of a consent by a replay is recorded with this reason", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const { refresh_token: token } = await hub.client.getTokens(id);
    await hub.client.refresh(id, token);
    await hub.client.refresh(id, token);
    const [ended, ...older] = await listRecords(hub);
    expect(older).toHaveLength(1);
    expect(ended).toMatchObject({
      action: "application.revoke",
      detail: { user: hub.user.email, reason: "token_reused" },
    });
  });
});

describe("a refresh token", () => {
  test("A refresh token works once: its replay ends the grant with all tokens", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const first = await hub.client.getTokens(id);
    const { body: second } = await hub.client.refresh(id, first.refresh_token);
    expect((await hub.client.refresh(id, first.refresh_token)).body.error).toBe("invalid_grant");
    expect(await isAlive(hub, first.access_token)).toBe(false);
    expect(await isAlive(hub, second.access_token)).toBe(false);
    expect((await hub.client.refresh(id, second.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("Two processes that use a refresh token at once never issue two valid grants", async () => {
    await using hub = await openTestServer();
    await using second = await hub.openSecond();
    const id = await hub.client.register();
    const { refresh_token: refreshToken } = await hub.client.getTokens(id);
    const both = await Promise.all([
      hub.client.refresh(id, refreshToken),
      second.client.refresh(id, refreshToken),
      hub.client.refresh(id, refreshToken),
    ]);
    const won = both.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { body } of won) {
      expect(await isAlive(hub, body.access_token)).toBe(false);
      expect((await hub.client.refresh(id, body.refresh_token)).status).toBe(400);
    }
    expect(hub.failures).toEqual([]);
  });

  test("A refresh token is refused for another client", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const tokens = await hub.client.getTokens(id);
    const other = await hub.client.register();
    expect((await hub.client.refresh(other, tokens.refresh_token)).body.error).toBe(
      "invalid_grant",
    );
    expect(await isAlive(hub, tokens.access_token)).toBe(true);
  });

  test("A refresh token of an inactive user is refused", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const tokens = await hub.client.getTokens(id);
    await updateUser(hub.store.db, hub.user.id, { status: "disabled" }, Date.now());
    expect((await hub.client.refresh(id, tokens.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("A refresh cannot get more than the user allowed", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const { refresh_token: token } = await hub.client.getTokens(id);
    const { body } = await hub.client.refresh(id, token, { scope: "mcp offline_access" });
    expect(body.scope).toBe("mcp");
    const asked = await hub.client.refresh(id, body.refresh_token, { scope: "admin" });
    expect(asked.body.error).toBe("invalid_scope");
  });
});

describe("a revoked grant", () => {
  test("Revoking a grant ends its access tokens, refresh tokens and codes at once", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const tokens = await hub.client.getTokens(id);
    const code = await hub.client.getCode(id);
    for (const grant of await listOAuthGrants(hub.store.db, { now: hub.clock.time })) {
      await deleteOAuthGrant(hub.store.db, grant.id);
    }
    expect(await isAlive(hub, tokens.access_token)).toBe(false);
    expect((await hub.client.refresh(id, tokens.refresh_token)).status).toBe(400);
    expect((await hub.client.redeem(id, code)).status).toBe(400);
  });

  test("Only its own client can end a grant by revoking one of its tokens", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const other = await hub.client.register();
    const { revoke } = hub.client;
    const first = await hub.client.getTokens(id);
    await revoke(other, first.refresh_token);
    expect(await isAlive(hub, first.access_token)).toBe(true);
    expect((await revoke(id, first.refresh_token)).status).toBe(200);
    expect(await isAlive(hub, first.access_token)).toBe(false);
    const second = await hub.client.getTokens(id);
    expect((await revoke(id, second.access_token)).status).toBe(200);
    expect((await hub.client.refresh(id, second.refresh_token)).status).toBe(400);
    expect((await revoke(id, "hub_oat_unknown")).status).toBe(200);
  });
});

describe("an authorization request", () => {
  const refusedWithoutRedirect: Record<string, Record<string, string>> = {
    "an address that only begins with a registered one": { redirect_uri: `${callback}.evil` },
    "an address below a registered one": { redirect_uri: `${callback}/../other` },
    "javascript:": { redirect_uri: "javascript:alert(1)" },
    "another host": { redirect_uri: "http://evil.example:4000/callback" },
    "no address": { redirect_uri: "" },
    "an unknown client": { client_id: "nobody" },
  };
  for (const [what, fields] of Object.entries(refusedWithoutRedirect)) {
    test(`An authorization request with ${what} is not redirected`, async () => {
      await using hub = await openTestServer();
      const answer = await hub.client.authorize(await hub.client.register(), fields);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    });
  }

  const refusedAtTheClient: Record<string, [Record<string, string>, string]> = {
    "a plain challenge": [
      { code_challenge_method: "plain", code_challenge: verifier },
      "invalid_request",
    ],
    "no challenge": [{ code_challenge: "", code_challenge_method: "" }, "invalid_request"],
    "another resource": [{ resource: "https://other.example/mcp" }, "invalid_target"],
    "the hub's own address as resource": [{ resource: baseUrl }, "invalid_target"],
    "another response type": [{ response_type: "token" }, "unsupported_response_type"],
    "a response by form": [{ response_mode: "form_post" }, "unsupported_response_mode"],
    "a request object": [{ request: "e30.e30." }, "request_not_supported"],
    "no page wanted": [{ prompt: "none" }, "login_required"],
  };
  for (const [what, [fields, error]] of Object.entries(refusedAtTheClient)) {
    test(`An authorization request with ${what} is refused at the registered URI, with its state`, async () => {
      await using hub = await openTestServer();
      const id = await hub.client.register();
      const answer = await hub.client.authorize(id, { state: "s2", ...fields });
      const back = new URL(answer.headers.get("location") ?? baseUrl, baseUrl);
      expect(`${back.origin}${back.pathname}`).toBe(callback);
      const shown = back.hash === "" ? back.searchParams : new URLSearchParams(back.hash.slice(1));
      expect(Object.fromEntries(shown)).toMatchObject({ error, state: "s2" });
    });
  }

  test("A loopback redirect URI may use any port; other hosts may not", async () => {
    await using hub = await openTestServer();
    const native = await hub.client.register({
      redirect_uris: ["http://localhost/cb", "http://127.0.0.1/cb", "https://app.example/cb"],
    });
    const startsWith = async (redirectUri: string) =>
      (await hub.client.authorize(native, { redirect_uri: redirectUri })).headers.get("location");
    expect(await startsWith("http://localhost:5123/cb")).toStartWith("/oauth/consent/");
    expect(await startsWith("http://127.0.0.1:5123/cb")).toStartWith("/oauth/consent/");
    expect(await startsWith("http://[::1]:5123/cb")).toBeNull();
    expect(await startsWith("http://localhost:5123/cb2")).toBeNull();
    expect(await startsWith("http://localhost.evil.example:5123/cb")).toBeNull();
    expect(await startsWith("https://app.example:8443/cb")).toBeNull();
    expect(await startsWith("https://app.example/cb")).toStartWith("/oauth/consent/");
  });

  test("An authorization request gets the only scope, whatever it names", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    for (const scope of ["", "mcp", "offline_access mcp", "openid profile"]) {
      const code = await hub.client.getCode(id, scope === "" ? {} : { scope });
      expect((await hub.client.redeem(id, code)).body.scope).toBe("mcp");
    }
  });

  test("OpenID parameters such as nonce and login hints are ignored", async () => {
    await using hub = await openTestServer();
    const id = await hub.client.register();
    const fields = { nonce: "n", max_age: "0", login_hint: "x", prompt: "consent", claims: "{}" };
    expect((await hub.client.getCode(id, fields)).startsWith("none")).toBe(false);
  });
});

test("A pending consent cannot be answered from another browser", async () => {
  await using hub = await openTestServer();
  const started = await hub.client.authorize(await hub.client.register());
  const url = new URL(started.headers.get("location") ?? "", baseUrl);
  const uid = url.pathname.split("/").at(-1) ?? "";
  expect(await hub.server.findConsent(new Request(url.href), uid)).toBeNull();
  expect(await hub.server.findConsent(toConsentRequest(started), "another")).toBeNull();
  expect(await hub.server.findConsent(toConsentRequest(started), uid)).not.toBeNull();
});

test("With an https base URL, the cookies of a flow are Secure and HttpOnly", async () => {
  await using hub = await openTestServer();
  const started = await hub.client.authorize(await hub.client.register());
  const cookies = started.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThan(0);
  for (const cookie of cookies) expect(cookie).toMatch(/; secure.*; httponly/i);
});

test("An internal failure gets a server error, and its cause is in the log", async () => {
  await using hub = await openTestServer();
  const id = await hub.client.register();
  const code = await hub.client.getCode(id);
  await runSql(hub.store.db, "drop table oauth_artifacts");
  const { status, body } = await hub.client.redeem(id, code);
  expect([status, body.error]).toEqual([500, "server_error"]);
  expect(hub.failures).toEqual([[{ err: expect.any(Error) }, "the authorization server failed"]]);
});

test("If a consent is answered twice, the last answer before the redirect counts", async () => {
  await using hub = await openTestServer();
  const started = await hub.client.authorize(await hub.client.register());
  const request = toConsentRequest(started);
  await hub.server.deny(request);
  const back = await hub.client.consent(started);
  expect(back.searchParams.get("code")).not.toBeNull();
});

test("A pending consent expires after an hour", async () => {
  await using hub = await openTestServer();
  const started = await hub.client.authorize(await hub.client.register());
  const uid = new URL(started.headers.get("location") ?? "", baseUrl).pathname.split("/").at(-1);
  const find = () => hub.server.findConsent(toConsentRequest(started), uid ?? "");
  hub.clock.time += 3_599_000;
  expect(await find()).not.toBeNull();
  hub.clock.time += 2_000;
  expect(await find()).toBeNull();
});

test("The cookie of the provider's session never reaches a browser", async () => {
  await using hub = await openTestServer();
  const started = await hub.client.authorize(await hub.client.register());
  expect(started.headers.getSetCookie().join()).not.toContain("hub_oauth_session");
});
