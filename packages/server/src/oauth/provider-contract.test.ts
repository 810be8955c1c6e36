/**
 * The behaviour of oidc-provider that the hub relies on beyond its documentation. If a test fails
 * after an update, it names the workaround to check.
 */
import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createKeyRing } from "../secrets/keys/key-ring.ts";
import { createProvider } from "./create-provider.ts";
import { describeAuthorizationServer } from "./endpoints.ts";
import { baseUrl, callback, openTestServer } from "./testing/open-test-server.ts";

test("The library still creates the ids of access tokens where the hub sets their format", async () => {
  await using hub = await openTestServer();
  const provider = createProvider({
    ...hub.store,
    baseUrl,
    ring: createKeyRing([new Uint8Array(32).fill(7)]),
    now: () => hub.clock.time,
    fetchDocument: async () => new Response(null, { status: 404 }),
    takesDocuments: true,
    findRequest: () => ({ ip: null, isRevocation: false }),
    onFailure() {},
  });
  const token = Reflect.construct(provider.AccessToken, [{ accountId: "a" }]);
  // The library's types do not have this, so the test checks it.
  const made = Object(token).generateTokenId();
  expect(made).toMatch(/^hub_oat_[0-9a-f]{32}$/);
  expect(Object(token).format).toBe("opaque");
});

test("The library still checks redirect URIs where the hub takes its own check instead", async () => {
  await using hub = await openTestServer();
  // By the library's own rules, an app's scheme and https to this computer exclude each other.
  const uris = ["cursor://x.y/cb", "https://localhost:4000/cb", "https://app.example/cb", callback];
  const id = await hub.client.register({ redirect_uris: uris });
  for (const uri of uris) {
    const back = await hub.client.consent(await hub.client.authorize(id, { redirect_uri: uri }));
    expect(back.href).toStartWith(`${uri}?code=`);
  }
});

test("The written-out metadata equals the library's metadata", async () => {
  await using hub = await openTestServer();
  const answer = await hub.server.answer(
    new Request(`${baseUrl}/.well-known/oauth-authorization-server`),
    null,
  );
  const own = Object(await answer.json());
  const written = describeAuthorizationServer(baseUrl, {
    takesDocuments: true,
    hasMachines: false,
  });
  for (const name of [
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
    "response_types_supported",
    "code_challenge_methods_supported",
    "token_endpoint_auth_methods_supported",
    "authorization_response_iss_parameter_supported",
    "client_id_metadata_document_supported",
  ] as const) {
    expect([name, own[name]]).toEqual([name, written[name]]);
  }
  // The other members belong to OpenID, and none belongs to a disabled feature.
  const rest = Object.keys(own).filter((name) => !(name in written));
  expect(rest.sort()).toEqual([
    ...["claim_types_supported", "claims_parameter_supported", "claims_supported"],
    ...["id_token_signing_alg_values_supported", "jwks_uri", "request_uri_parameter_supported"],
    "subject_types_supported",
  ]);
  expect(own.grant_types_supported.sort()).toEqual(written.grant_types_supported);
});

test("The database contains no part of a flow in plain text", async () => {
  await using hub = await openTestServer();
  const id = await hub.client.register();
  const state = "a-secret-state-of-the-client";
  const started = await hub.client.authorize(id, { state });
  const uid = started.headers.get("location")?.split("/").at(-1) ?? "";
  const back = await hub.client.consent(started);
  const code = back.searchParams.get("code") ?? "";
  const { body } = await hub.client.redeem(id, code);
  const { body: later } = await hub.client.refresh(id, body.refresh_token);
  await hub.client.authorize(id, { state });
  const secrets = [uid, code, state, ...[body, later].flatMap(toSecrets)];
  expect(secrets.every((secret) => secret.length > 20)).toBe(true);
  for (const name of await readdir(hub.dataDir)) {
    const bytes = await Bun.file(join(hub.dataDir, name))
      .bytes()
      .catch(() => new Uint8Array());
    const text = Buffer.from(bytes).toString("latin1");
    for (const secret of secrets) expect([name, text.includes(secret)]).toEqual([name, false]);
  }
  // The file must contain data, so that the check is meaningful.
  const database = await Bun.file(join(hub.dataDir, "hub.sqlite-wal")).bytes();
  expect(Buffer.from(database).toString("latin1")).toContain(id);
});

const toSecrets = (tokens: { access_token: string; refresh_token: string }) => [
  tokens.access_token,
  tokens.refresh_token,
];
