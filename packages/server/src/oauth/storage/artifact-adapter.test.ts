/**
 * Protects against copies of codes and refresh tokens that are used at the same time. Both requests
 * pass the library's own check for use, as in two processes.
 */
import { describe, expect, test } from "bun:test";
import { listChanges } from "../../store/changes-table.ts";
import { trimPendingConsents } from "../../store/oauth/oauth-artifacts.ts";
import {
  findOAuthClient,
  insertOAuthClient,
  purgeOAuthClients,
} from "../../store/oauth/oauth-clients.ts";
import {
  deleteOAuthGrant,
  findOAuthGrant,
  insertOAuthGrant,
} from "../../store/oauth/oauth-grants.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServer } from "../testing/open-test-server.ts";
import { createAccessTokenAdapter } from "./access-token-adapter.ts";
import { createArtifactAdapter } from "./artifact-adapter.ts";
import { createGrantAdapter } from "./grant-adapter.ts";

const toTokenId = (number: number) => `hub_oat_${String(number).padStart(32, "0")}`;

async function openStage(model: string) {
  const hub = await openTestServer();
  const { db } = hub.store;
  const deps = {
    db,
    now: () => hub.clock.time,
    findRequest: () => ({ ip: "192.0.2.1", isRevocation: false }),
    refuseGrant: (text: string) => new Error(text),
  };
  const grantId = crypto.randomUUID();
  const times = { createdAt: hub.clock.time, expiresAt: hub.clock.time + 60_000 };
  const access = { clientId: "c", scope: "mcp", resource: "https://hub.example/mcp" };
  await insertOAuthGrant(db, {
    id: grantId,
    userId: hub.user.id,
    clientName: "C",
    redirectUri: "https://c.example/",
    ...access,
    ...times,
  });
  const adapter = createArtifactAdapter(deps, model);
  await adapter.upsert("the-id", { grantId, clientId: "c", accountId: hub.user.id }, 60);
  const tokens = createAccessTokenAdapter(deps);
  return {
    adapter,
    other: createArtifactAdapter(deps, model),
    tokens,
    async issue(seconds = 60, number = 0) {
      const id = toTokenId(number);
      const made = { grantId, accountId: hub.user.id, clientId: "c", aud: access.resource };
      await tokens.upsert(id, { ...made, scope: "mcp" }, seconds);
      return id;
    },
    grants: createGrantAdapter(deps),
    grantId,
    clock: hub.clock,
    ...deps,
    hasGrant: async () => (await findOAuthGrant(db, grantId)) !== null,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

describe.each(["AuthorizationCode", "RefreshToken"])("a %s", (model) => {
  test("Of two concurrent uses only one succeeds, and the grant ends for both", async () => {
    await using stage = await openStage(model);
    const found = [await stage.adapter.find("the-id"), await stage.other.find("the-id")];
    expect(found.map((payload) => Object(payload).consumed)).toEqual([undefined, undefined]);
    await stage.adapter.consume("the-id");
    await expect(stage.other.consume("the-id")).rejects.toThrow("already used");
    expect(await stage.hasGrant()).toBe(false);
    expect(await listChanges(stage.db, { limit: 9 })).toMatchObject([
      { action: "application.revoke", targetId: stage.grantId, tokenId: stage.grantId },
    ]);
    // The first continues with the artifact that it found, but must not get a token.
    await expect(stage.issue()).rejects.toThrow("ended");
    const next = { grantId: Object(found[0]).grantId, clientId: "c" };
    await expect(stage.adapter.upsert("the-next", next, 60)).rejects.toThrow("ended");
    expect(await stage.adapter.find("the-next")).toBeUndefined();
  });

  test("A single use keeps the grant", async () => {
    await using stage = await openStage(model);
    await stage.adapter.consume("the-id");
    await stage.issue();
    expect(await stage.hasGrant()).toBe(true);
    expect(Object(await stage.adapter.find("the-id")).consumed).toBeNumber();
  });
});

test("A code is found until, but not at, its expiry", async () => {
  await using stage = await openStage("AuthorizationCode");
  stage.clock.time += 59_999;
  expect(await stage.adapter.find("the-id")).toMatchObject({ jti: "the-id" });
  stage.clock.time += 1;
  expect(await stage.adapter.find("the-id")).toBeUndefined();
});

test("An access token is found until, but not at, its expiry", async () => {
  await using stage = await openStage("RefreshToken");
  const id = await stage.issue();
  stage.clock.time += 59_999;
  expect(await stage.tokens.find(id)).toMatchObject({ jti: id });
  stage.clock.time += 1;
  expect(await stage.tokens.find(id)).toBeUndefined();
});

test("A new refresh token marks its client as used, so that the purge keeps the client", async () => {
  await using stage = await openStage("RefreshToken");
  await insertOAuthClient(stage.db, { id: "c", metadata: "{}" }, stage.clock.time);
  stage.clock.time += 1000;
  const { time } = stage.clock;
  await stage.adapter.upsert("the-next", { grantId: stage.grantId, clientId: "c" }, 60);
  await deleteOAuthGrant(stage.db, stage.grantId);
  await purgeOAuthClients(stage.db, { unusedSince: time, idleSince: time });
  expect(await findOAuthClient(stage.db, "c")).not.toBeNull();
});

test("A grant that ends while its change cannot be recorded stays", async () => {
  await using stage = await openStage("RefreshToken");
  await runSql(
    stage.db,
    `create trigger refuse before insert on changes
    begin select raise(abort, 'disk full'); end`,
  );
  await expect(stage.grants.destroy(stage.grantId)).rejects.toThrow("disk full");
  expect(await stage.hasGrant()).toBeTrue();
});

test("A grant that two requests end at once is recorded once", async () => {
  await using stage = await openStage("RefreshToken");
  const { grants, grantId } = stage;
  await Promise.all([grants.destroy(grantId), grants.destroy(grantId)]);
  await grants.destroy(grantId);
  expect(await listChanges(stage.db, { limit: 9 })).toHaveLength(1);
});

describe("what is kept of one grant and of strangers is bounded", () => {
  test("Of the used refresh tokens of a grant, the last hundred are kept", async () => {
    await using stage = await openStage("RefreshToken");
    const next = { grantId: stage.grantId, clientId: "c" };
    await stage.adapter.consume("the-id");
    for (let at = 0; at < 105; at += 1) {
      stage.clock.time += 1;
      await stage.adapter.upsert(`token-${at}`, next, 60);
      await stage.adapter.consume(`token-${at}`);
    }
    await stage.adapter.upsert("the-last", next, 60);
    expect(await stage.adapter.find("token-4")).toBeUndefined();
    // A replay of one that is kept still ends the grant.
    await expect(stage.other.consume("token-5")).rejects.toThrow("already used");
    expect(await stage.hasGrant()).toBe(false);
  });

  test("Of the access tokens of a grant, the newest hundred are kept", async () => {
    await using stage = await openStage("RefreshToken");
    for (let at = 0; at < 102; at += 1) {
      stage.clock.time += 1;
      await stage.issue(60, at);
    }
    expect(await stage.tokens.find(toTokenId(1))).toBeUndefined();
    expect(await stage.tokens.find(toTokenId(2))).toBeDefined();
  });

  test("Of the pending consents, the oldest are deleted, and nothing else", async () => {
    await using stage = await openStage("RefreshToken");
    const consents = createArtifactAdapter(stage, "Interaction");
    for (let at = 0; at < 5; at += 1) {
      stage.clock.time += 1_000;
      await consents.upsert(`consent-${at}`, { grantId: "later" }, 3_600);
    }
    const expiresUntil = stage.clock.time + 3_600_000;
    await trimPendingConsents(stage.db, { kept: 3, expiresUntil });
    const found = Array.from({ length: 5 }, (_, at) => consents.find(`consent-${at}`));
    expect((await Promise.all(found)).map((one) => one !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(await stage.adapter.find("the-id")).toBeDefined();
  });
});

describe("a failed database write is not reported as success", () => {
  test.each(["update", "delete"])("%s", async (verb) => {
    await using stage = await openStage("RefreshToken");
    await runSql(
      stage.db,
      `create trigger refuse before ${verb} on oauth_grants
      begin select raise(abort, 'disk full'); end`,
    );
    const work = verb === "update" ? stage.issue(600) : stage.grants.destroy(stage.grantId);
    await expect(work).rejects.toThrow("disk full");
    expect(await stage.hasGrant()).toBeTrue();
  });

  test("A failed update of the client's last use is reported", async () => {
    await using stage = await openStage("RefreshToken");
    await insertOAuthClient(stage.db, { id: "c", metadata: "{}" }, stage.clock.time);
    await runSql(
      stage.db,
      `create trigger refuse before update on oauth_clients
      begin select raise(abort, 'disk full'); end`,
    );
    const next = { grantId: stage.grantId, clientId: "c" };
    await expect(stage.adapter.upsert("the-next", next, 60)).rejects.toThrow("disk full");
  });
});
