/** Protects: an ID-JAG opens the hub once, for its client, for a user who exists, and for nothing else. */
import { expect, test } from "bun:test";
import { SignJWT, UnsecuredJWT } from "jose";
import { updateUser } from "../../store/users/users-table.ts";
import { baseUrl } from "../testing/open-test-server.ts";
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

test("An ID-JAG gets a token of the user whom it names, without a page", async () => {
  await using hub = await open();
  const { status, body, owner } = await hub.ask(await hub.sign());
  expect([status, body.scope, body.expires_in]).toEqual([200, "mcp", 3600]);
  expect(owner).toMatchObject({ userId: hub.user.id, kind: "person", scope: "mcp" });
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
    "an unknown user": [await hub.sign({ sub: "nobody-here" }), "invalid_grant"],
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
