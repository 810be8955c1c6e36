/** Protects: an ID-JAG opens the hub once, for its client and within its bounds, for a user who exists, and for nothing else. */
import { expect, test } from "bun:test";
import { SignJWT, UnsecuredJWT } from "jose";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import type { TokenBounds } from "../../lib/call-bounds.ts";
import { transaction } from "../../store/database/database.ts";
import {
  deleteMachineClient,
  findMachineClient,
  insertMachineClient,
} from "../../store/machines/machine-clients-table.ts";
import { updateUser } from "../../store/users/users-table.ts";
import { baseUrl } from "../testing/open-test-server.ts";
import { issueToken } from "./issue-token.ts";
import { basic, clientId, clientSecret, jwtBearer, openMachines } from "./testing/open-machines.ts";

const typ = "oauth-id-jag+jwt";
const authorization = basic(clientId, clientSecret);
const resource = `${baseUrl}/mcp`;

async function open() {
  const hub = await openMachines();
  await hub.trust({ kind: "id_jag", userId: null, conditions: [] });
  await hub.link("ada-at-the-issuer");
  let count = 0;
  const claims = (given: Record<string, unknown> = {}) => {
    count += 1;
    const who = { sub: "ada-at-the-issuer", client_id: clientId, jti: `jti-${count}` };
    return { ...who, aud: baseUrl, resource, scope: "mcp", ...given };
  };
  const sign = async (given: Record<string, unknown> = {}, type = typ) =>
    await hub.issuer.sign(claims(given), { at: hub.clock.time, typ: type });
  const ask = async (
    assertion: string,
    from: { authorization?: string | null } = { authorization },
  ) => await hub.ask({ grant_type: jwtBearer, assertion }, from);
  return { ...hub, claims, sign, ask };
}

test("An ID-JAG gets a token of the user that it names, without a page", async () => {
  await using hub = await open();
  const { status, body, owner } = await hub.ask(await hub.sign());
  expect([status, body.scope, body.expires_in]).toEqual([200, "mcp", 3600]);
  expect(owner).toMatchObject({ userId: hub.user.id, kind: "person", scope: "mcp" });
  // The client is read again where the token is stored: a deleted one gets none.
  const client = await findMachineClient(hub.store.db, clientId);
  expect(client?.lastUsedAt).toBe(hub.clock.time);
  // A slash at the end is the same endpoint.
  expect((await hub.ask(await hub.sign({ resource: [`${resource}/`] }))).status).toBe(200);
});

test("An ID-JAG with anything wrong in it is refused", async () => {
  await using hub = await open();
  const seconds = Math.floor(hub.clock.time / 1000);
  const all = { iss: hub.issuer.issuer, iat: seconds, exp: seconds + 300, ...hub.claims() };
  const secret = new TextEncoder().encode(JSON.stringify(await hub.issuer.publicJwk()));
  const header = { alg: "HS256", typ, kid: "first" };
  const late = { iat: seconds - 900, exp: seconds - 600 };
  const bad: Record<string, [assertion: string, error: string]> = {
    "the token endpoint as aud": [
      await hub.sign({ aud: `${baseUrl}/oauth/token` }),
      "invalid_grant",
    ],
    "two aud": [await hub.sign({ aud: [baseUrl, "https://b.example"] }), "invalid_grant"],
    "no aud": [await hub.sign({ aud: undefined }), "invalid_grant"],
    "another typ": [await hub.sign({}, "JWT"), "invalid_grant"],
    "no resource": [await hub.sign({ resource: undefined }), "invalid_grant"],
    "another resource": [await hub.sign({ resource: "https://b.example/mcp" }), "invalid_grant"],
    "two resources": [
      await hub.sign({ resource: [resource, "https://b.example"] }),
      "invalid_grant",
    ],
    "another client": [await hub.sign({ client_id: "someone-else" }), "invalid_grant"],
    "no client": [await hub.sign({ client_id: undefined }), "invalid_grant"],
    "no jti": [await hub.sign({ jti: undefined }), "invalid_grant"],
    "no iat": [await hub.sign({ iat: undefined }), "invalid_grant"],
    "an unknown user": [await hub.sign({ sub: "absent-here" }), "invalid_grant"],
    "an unknown issuer": [await hub.sign({ iss: "https://b.example" }), "invalid_grant"],
    expired: [await hub.sign(late), "invalid_grant"],
    "another scope": [await hub.sign({ scope: "manage" }), "invalid_scope"],
    "alg none": [new UnsecuredJWT(all).encode(), "invalid_grant"],
    "HS256 with the public key": [
      await new SignJWT(all).setProtectedHeader(header).sign(secret),
      "invalid_grant",
    ],
  };
  for (const [name, [assertion, error]] of Object.entries(bad)) {
    const { body, owner } = await hub.ask(assertion);
    expect([name, body.error, owner]).toEqual([name, error, null]);
  }
});

test("An ID-JAG is used once, also on two servers at the same time", async () => {
  await using hub = await open();
  await using second = await hub.openSecond();
  const assertion = await hub.sign();
  const params = () => new URLSearchParams({ grant_type: jwtBearer, assertion });
  const from = { authorization, ip: "192.0.2.1" };
  const answers = await Promise.all([
    hub.server.answerMachine(params(), from),
    second.server.answerMachine(params(), from),
    hub.server.answerMachine(params(), from),
  ]);
  const statuses = answers.map((answer) => answer?.status ?? 0).sort();
  expect(statuses).toEqual([200, 400, 400]);
  expect((await hub.ask(assertion)).body.error).toBe("invalid_grant");
});

test("A client that does not authenticate brings no ID-JAG", async () => {
  await using hub = await open();
  const assertion = await hub.sign();
  for (const wrong of [null, basic(clientId, "wrong")]) {
    expect((await hub.ask(assertion, { authorization: wrong })).body.error).toBe("invalid_client");
  }
  // A refusal uses nothing up.
  expect((await hub.ask(assertion)).status).toBe(200);
});

test("An ID-JAG makes no user, and opens nothing for one who is not active", async () => {
  await using hub = await open();
  await updateUser(hub.store.db, hub.user.id, { status: "disabled" }, 1);
  expect((await hub.ask(await hub.sign())).body.error).toBe("invalid_grant");
});

test("A workload's registration opens nothing for an ID-JAG, and the other way round", async () => {
  await using hub = await openMachines();
  await hub.trust({ conditions: [{ claim: "sub", value: "ada" }] });
  await hub.link("ada");
  const at = hub.clock.time;
  const claims = { sub: "ada", aud: baseUrl, resource, client_id: clientId, jti: "1" };
  const jag = await hub.issuer.sign(claims, { at, typ });
  const asked = { grant_type: jwtBearer, assertion: jag };
  expect((await hub.ask(asked, { authorization })).body.error).toBe("invalid_grant");
  const workload = await hub.issuer.sign({ ...claims, aud: `${baseUrl}/oauth/token` }, { at, typ });
  expect((await hub.ask({ ...asked, assertion: workload }, { authorization })).status).toBe(400);
});

const row = "7f5e2a60-1111-4222-8333-444455556666";
const otherRow = "8f5e2a60-1111-4222-8333-444455556666";

async function openBound(
  { client, issuer }: { client: TokenBounds; issuer: TokenBounds | null },
  lifetimeMs: number | null = null,
) {
  const hub = await openMachines();
  const trusted = await hub.trust({ kind: "id_jag", userId: null, conditions: [], bounds: issuer });
  await hub.link("ada");
  const id = "44444444-2222-4333-8444-555555555555";
  await insertMachineClient(hub.store.db, {
    id,
    name: "Bound",
    userId: null,
    auth: "client_secret",
    secretHash: hashToken("s"),
    jwks: null,
    bounds: client,
    createdBy: "ada@example.com",
    createdAt: 1,
    expiresAt: lifetimeMs === null ? null : hub.clock.time + lifetimeMs,
  });
  const ask = async (ip = "10.1.1.1") => {
    const claims = { sub: "ada", client_id: id, jti: crypto.randomUUID(), aud: baseUrl, resource };
    const assertion = await hub.issuer.sign(claims, { at: hub.clock.time, typ });
    const from = { authorization: basic(id, "s"), ip };
    const { body, owner } = await hub.ask({ grant_type: jwtBearer, assertion }, from);
    const bounds = JSON.parse(owner?.bounds ?? "null");
    return { error: body.error, expiresIn: body.expires_in, bounds };
  };
  return { ...hub, id, trusted, ask };
}

test.each<[what: string, client: TokenBounds, issuer: TokenBounds | null, both: TokenBounds]>([
  ["The client's alone", { rows: [row] }, null, { rows: [row] }],
  [
    "An operation of the client, its row of the issuer",
    { operations: [`conn:${row}/read`] },
    { rows: [row] },
    { rows: [], operations: [`conn:${row}/read`] },
  ],
  ["Different rows", { rows: [row] }, { rows: [otherRow] }, { rows: [], operations: [] }],
  [
    "Addresses of both",
    { addresses: ["10.0.0.0/8"] },
    { addresses: ["10.1.0.0/16", "192.0.2.0/24"] },
    { addresses: ["10.1.0.0/16"] },
  ],
])("A token has the bounds of the client and of the issuer: %s", async (_, client, issuer, both) => {
  await using hub = await openBound({ client, issuer });
  expect((await hub.ask()).bounds).toEqual(both);
});

test("A client at an address that the issuer's bounds do not name gets no token", async () => {
  const issuer = { addresses: ["10.1.0.0/16"] };
  await using hub = await openBound({ client: { addresses: ["10.0.0.0/8"] }, issuer });
  expect((await hub.ask("192.0.2.1")).error).toBe("invalid_client");
  expect((await hub.ask("10.2.0.1")).error).toBe("invalid_grant");
  expect((await hub.ask("10.1.0.1")).error).toBeUndefined();
});

test("A token ends no later than its client", async () => {
  await using hub = await openBound({ client: { rows: [row] }, issuer: null }, 60_000);
  expect((await hub.ask()).expiresIn).toBe(60);
});

test("A client that is deleted while its assertion is verified gets no token", async () => {
  await using hub = await openBound({ client: { rows: [row] }, issuer: null });
  const { db } = hub.store;
  const deps = { db, baseUrl, now: () => hub.clock.time };
  const issue = async () =>
    await issueToken(deps, {
      by: { kind: "issuer", id: hub.trusted, clientId: hub.id },
      userId: hub.user.id,
      clientId: hub.id,
      name: "Bound",
      bounds: null,
      expiresAt: hub.clock.time + 1_000,
    });
  expect((await issue()).status).toBe(200);
  await transaction(db, async (trx) => await deleteMachineClient(trx, hub.id));
  await expect(issue()).rejects.toThrow("its registration has ended");
});
