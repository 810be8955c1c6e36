/** Protects: an assertion of a platform opens the hub only for what its registration names, as long as it is valid. */
import { expect, test } from "bun:test";
import { generateSecret, SignJWT, UnsecuredJWT } from "jose";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { transaction } from "../../store/database/database.ts";
import { deleteTrustedIssuer } from "../../store/machines/trusted-issuers-table.ts";
import { deleteMachineGrants } from "../../store/oauth/machine-grants.ts";
import { baseUrl } from "../testing/open-test-server.ts";
import { jwtBearer, openMachines } from "./testing/open-machines.ts";

const aud = `${baseUrl}/oauth/token`;
const claims = { sub: "repo:acme/site", aud };

test("An assertion that meets the conditions gets a token of the service user, which ends with it", async () => {
  await using hub = await openMachines();
  await hub.trust({});
  const at = hub.clock.time;
  const assertion = await hub.issuer.sign(claims, { at });
  const { status, body, owner } = await hub.ask({ grant_type: jwtBearer, assertion });
  expect([status, body.scope]).toEqual([200, "mcp"]);
  expect(owner).toMatchObject({ userId: hub.robot.id, kind: "service", scope: "mcp" });
  expect(owner?.expiresAt).toBe((Math.floor(at / 1000) + 300) * 1000);
  // Several steps of one job send the same.
  expect((await hub.ask({ grant_type: jwtBearer, assertion })).status).toBe(200);
  const long = await hub.issuer.sign({ ...claims, exp: Math.floor(at / 1000) + 86_400 }, { at });
  expect((await hub.ask({ grant_type: jwtBearer, assertion: long })).body.expires_in).toBe(3600);
});

test("What is not signed by the issuer, for this server, now, about the program, is refused", async () => {
  await using hub = await openMachines();
  await hub.trust({});
  const { issuer, clock } = hub;
  const at = clock.time;
  const seconds = Math.floor(at / 1000);
  const all = { iss: issuer.issuer, ...claims, iat: seconds, exp: seconds + 300 };
  const publicKey = JSON.stringify(await issuer.publicJwk());
  const hmac = new SignJWT(all).setProtectedHeader({ alg: "HS256", kid: "first" });
  const bad = {
    "another subject": await issuer.sign(
      { ...claims, sub: "repo:acme/site-of-a-stranger" },
      { at },
    ),
    "another audience": await issuer.sign({ ...claims, aud: "https://elsewhere.example" }, { at }),
    "another audience too": await issuer.sign(
      { ...claims, aud: [aud, "https://elsewhere.example"] },
      { at },
    ),
    "the audience of users": await issuer.sign({ ...claims, aud: baseUrl }, { at }),
    "no audience": await issuer.sign({ ...claims, aud: undefined }, { at }),
    "another issuer": await issuer.sign({ ...claims, iss: "https://elsewhere.example" }, { at }),
    expired: await issuer.sign(claims, { at: at - 600_000 }),
    "without an end": await issuer.sign({ ...claims, exp: undefined }, { at }),
    "of the future": await issuer.sign(
      { ...claims, iat: seconds + 600, exp: seconds + 900 },
      { at },
    ),
    "valid for a year": await issuer.sign({ ...claims, exp: seconds + 31_536_000 }, { at }),
    "another key": await issuer.sign(claims, { at, signer: await issuer.createKey("first") }),
    "alg none": new UnsecuredJWT(all).encode(),
    "the public key as a secret": await hmac.sign(new TextEncoder().encode(publicKey)),
    "a secret": await hmac.sign(await generateSecret("HS256")),
    "no JWT": "x",
    "too long": "x".repeat(20_000),
  };
  for (const [name, assertion] of Object.entries(bad)) {
    const { status, body } = await hub.ask({ grant_type: jwtBearer, assertion });
    expect([name, status, body.error]).toEqual([name, 400, "invalid_grant"]);
    expect(JSON.stringify(body)).not.toContain("repo:acme");
  }
  expect((await hub.ask({ grant_type: jwtBearer })).body.error).toBe("invalid_request");
  // The good one still works: nothing above has harmed the cached keys.
  const good = await issuer.sign(claims, { at });
  expect((await hub.ask({ grant_type: jwtBearer, assertion: good })).status).toBe(200);
});

test("Conditions may name a beginning, and a member of a claim", async () => {
  await using hub = await openMachines();
  await hub.trust({
    conditions: [
      { claim: "sub", prefix: "system:serviceaccount:" },
      { claim: "kubernetes.io/namespace", value: "builds" },
    ],
  });
  const ask = async (given: Record<string, unknown>) => {
    const assertion = await hub.issuer.sign({ aud, ...given }, { at: hub.clock.time });
    return (await hub.ask({ grant_type: jwtBearer, assertion })).status;
  };
  const sub = "system:serviceaccount:builds:runner";
  expect(await ask({ sub, "kubernetes.io": { namespace: "builds" } })).toBe(200);
  expect(await ask({ sub, "kubernetes.io": { namespace: "other" } })).toBe(400);
  expect(await ask({ sub, "kubernetes.io": { namespace: ["builds"] } })).toBe(400);
  expect(await ask({ sub, "kubernetes.io": "builds" })).toBe(400);
  expect(await ask({ sub })).toBe(400);
  expect(await ask({ sub: `x${sub}`, "kubernetes.io": { namespace: "builds" } })).toBe(400);
});

test("Keys are read once, again for an unknown key, and no more often than each 30 seconds", async () => {
  await using hub = await openMachines();
  await hub.trust({});
  const { issuer, clock } = hub;
  const ask = async (signer?: Awaited<ReturnType<typeof issuer.createKey>>) => {
    const at = clock.time;
    const assertion = await issuer.sign(claims, { at, ...(signer && { signer }) });
    return (await hub.ask({ grant_type: jwtBearer, assertion })).status;
  };
  const count = () => issuer.asked.filter((path) => path === "/keys").length;
  expect([await ask(), await ask(), count()]).toEqual([200, 200, 1]);
  const stranger = await issuer.createKey("stranger");
  for (let sent = 0; sent < 5; sent += 1) expect(await ask(stranger)).toBe(400);
  expect(count()).toBe(1);
  await issuer.rotate();
  clock.time += 31_000;
  expect([await ask(), count()]).toEqual([200, 2]);
});

test("Two registrations that an assertion meets are told apart by client_id", async () => {
  await using hub = await openMachines();
  const first = await hub.trust({});
  await hub.trust({});
  const assertion = await hub.issuer.sign(claims, { at: hub.clock.time });
  const params = { grant_type: jwtBearer, assertion };
  expect((await hub.ask(params)).body.error).toBe("invalid_grant");
  expect((await hub.ask({ ...params, client_id: first })).status).toBe(200);
});

test("A token ends with the trust in its issuer", async () => {
  await using hub = await openMachines();
  const id = await hub.trust({});
  const assertion = await hub.issuer.sign(claims, { at: hub.clock.time });
  const { body } = await hub.ask({ grant_type: jwtBearer, assertion });
  await transaction(hub.store.db, async (trx) => {
    await deleteTrustedIssuer(trx, id);
    await deleteMachineGrants(trx, `issuer:${id}`);
  });
  const hash = hashToken(String(body.access_token));
  expect(await hub.store.reads.findOAuthTokenOwner(hash)).toBeNull();
  expect((await hub.ask({ grant_type: jwtBearer, assertion })).status).toBe(400);
});
