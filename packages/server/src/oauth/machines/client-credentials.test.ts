/** Protects: only a registered client that proves itself gets a token, as its service user, for MCP alone. */
import { expect, test } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { insertMachineClient } from "../../store/machines/machine-clients-table.ts";
import { listOAuthGrants } from "../../store/oauth/oauth-grants.ts";
import { updateUser } from "../../store/users/users-table.ts";
import { baseUrl } from "../testing/open-test-server.ts";
import { basic, clientId, clientSecret, openMachines } from "./testing/open-machines.ts";

const grant = { grant_type: "client_credentials" };
const byPost = { ...grant, client_id: clientId, client_secret: clientSecret };
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

test("A client with its secret gets a token of its service user for an hour, by header or form", async () => {
  await using hub = await openMachines();
  const authorization = basic(clientId, clientSecret);
  for (const answer of [await hub.ask(byPost), await hub.ask(grant, { authorization })]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "mcp" });
    expect(answer.body.access_token).toMatch(/^hub_obt_[0-9a-f]{32}$/);
    expect(answer.body.refresh_token).toBeUndefined();
    expect(answer.owner).toMatchObject({ userId: hub.robot.id, kind: "service", scope: "mcp" });
  }
  // Calls that wait belong to the grant, so the next token finds them.
  const grants = await listOAuthGrants(hub.store.db, { now: hub.clock.time });
  expect(grants).toMatchObject([{ machine: `client:${clientId}`, clientName: "CI" }]);
});

test("A wrong secret, an unknown client, two proofs or none are refused", async () => {
  await using hub = await openMachines();
  const other = "99999999-2222-4333-8444-555555555555";
  const cases: [Record<string, string>, string | null, string][] = [
    [{ ...byPost, client_secret: `${clientSecret}x` }, null, "invalid_client"],
    [{ ...byPost, client_secret: "" }, null, "invalid_client"],
    [{ ...byPost, client_id: other }, null, "invalid_client"],
    [{ ...byPost, client_id: "' or 1=1" }, null, "invalid_client"],
    [{ ...grant, client_id: clientId }, null, "invalid_client"],
    [grant, null, "invalid_client"],
    [grant, "Basic ===", "invalid_client"],
    [{ ...grant, client_id: other }, basic(clientId, clientSecret), "invalid_client"],
    [byPost, basic(clientId, clientSecret), "invalid_request"],
    [{ ...byPost, resource: "https://elsewhere.example/mcp" }, null, "invalid_target"],
    [{ ...byPost, scope: "manage" }, null, "invalid_scope"],
  ];
  for (const [params, authorization, error] of cases) {
    const { status, body, owner } = await hub.ask(params, { authorization });
    expect([error, status, body.error, owner]).toEqual([
      error,
      error === "invalid_client" ? 401 : 400,
      error,
      null,
    ]);
  }
  const twice = new URLSearchParams([...Object.entries(byPost), ["client_secret", "x"]]);
  expect((await hub.ask(twice)).body.error).toBe("invalid_request");
});

test("A client gets no token while its service user or the owner is not active, and its tokens stop", async () => {
  await using hub = await openMachines();
  const { db } = hub.store;
  const { owner } = await hub.ask(byPost);
  expect(owner?.status).toBe("active");
  await updateUser(db, hub.user.id, { status: "disabled" }, 1);
  expect((await hub.ask(byPost)).body.error).toBe("invalid_grant");
  await updateUser(db, hub.user.id, { status: "active" }, 1);
  await updateUser(db, hub.robot.id, { status: "disabled" }, 1);
  expect((await hub.ask(byPost)).body.error).toBe("invalid_grant");
});

test("A client with keys proves itself by an assertion about itself, for this server, once", async () => {
  await using hub = await openMachines();
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const id = "22222222-2222-4333-8444-555555555555";
  const jwk = { ...(await exportJWK(publicKey)), kid: "k", alg: "ES256" };
  await insertMachineClient(hub.store.db, {
    id,
    name: "Robot",
    userId: hub.robot.id,
    auth: "private_key_jwt",
    secretHash: null,
    jwks: JSON.stringify({ keys: [jwk] }),
    bounds: null,
    createdBy: "ada@example.com",
    createdAt: 1,
    expiresAt: null,
  });
  const seconds = Math.floor(hub.clock.time / 1000);
  let count = 0;
  const sign = async (claims: Record<string, unknown> = {}, key = privateKey) => {
    count += 1;
    const plain = { iss: id, sub: id, aud: `${baseUrl}/oauth/token`, jti: `j${count}` };
    const times = { iat: seconds, exp: seconds + 300 };
    const jwt = new SignJWT({ ...plain, ...times, ...claims });
    return await jwt.setProtectedHeader({ alg: "ES256", kid: "k" }).sign(key);
  };
  const ask = async (assertion: string) =>
    await hub.ask({ ...grant, client_assertion_type: assertionType, client_assertion: assertion });
  const good = await sign();
  expect((await ask(good)).owner).toMatchObject({ userId: hub.robot.id });
  for (const aud of [baseUrl, [baseUrl]]) {
    expect((await ask(await sign({ aud }))).status).toBe(200);
  }
  const other = (await generateKeyPair("ES256")).privateKey;
  const bad = {
    "used before": good,
    "by another key": await sign({}, other),
    "for another server": await sign({ aud: "https://elsewhere.example" }),
    "for another server too": await sign({ aud: [baseUrl, "https://elsewhere.example"] }),
    expired: await sign({ exp: seconds - 60 }),
    "valid for a day": await sign({ exp: seconds + 86_400 }),
    "about another client": await sign({ sub: clientId }),
    "of another client": await sign({ iss: clientId, sub: clientId }),
    "without jti": await sign({ jti: undefined }),
    "no JWT": "a.b.c",
  };
  for (const [name, assertion] of Object.entries(bad)) {
    expect([name, (await ask(assertion)).body.error]).toEqual([name, "invalid_client"]);
  }
});

test("The bounds and addresses of a client hold for its tokens", async () => {
  await using hub = await openMachines();
  const id = "33333333-2222-4333-8444-555555555555";
  const bounds = {
    rows: ["7f5e2a60-1111-4222-8333-444455556666"],
    addresses: ["10.0.0.0/8"],
  };
  const { hashToken } = await import("../../identity/authenticate-bearer.ts");
  await insertMachineClient(hub.store.db, {
    id,
    name: "Bound",
    userId: hub.robot.id,
    auth: "client_secret",
    secretHash: hashToken("s"),
    jwks: null,
    bounds,
    createdBy: "ada@example.com",
    createdAt: 1,
    expiresAt: hub.clock.time + 60_000,
  });
  const params = { ...grant, client_id: id, client_secret: "s" };
  expect((await hub.ask(params, { ip: "192.0.2.1" })).body.error).toBe("invalid_client");
  const { owner, body } = await hub.ask(params, { ip: "10.1.1.1" });
  expect(JSON.parse(owner?.bounds ?? "")).toEqual(bounds);
  // No longer than the client.
  expect(body.expires_in).toBe(60);
  hub.clock.time += 61_000;
  expect((await hub.ask(params, { ip: "10.1.1.1" })).body.error).toBe("invalid_client");
});
