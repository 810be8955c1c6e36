/** `oauth4webapi`, a strict independent client library, accepts the hub's answers. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as oauth from "oauth4webapi";
import { createBrowser } from "./support/browser.ts";
import {
  callback,
  type OAuthFixture,
  openOAuthFixture,
  signInAndDecide,
  type UserLogin,
} from "./support/oauth-fixture.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  ada = await fixture.addUserWithPassword("ada@example.com");
});
afterAll(() => owned.disposeAsync());

const insecure = { [oauth.allowInsecureRequests]: true };

/** Discovers and registers from the address of the MCP endpoint (RFC 9728, 8414 and 7591). */
async function discover() {
  const resource = new URL(`${fixture.base}/mcp`);
  const described = await oauth.resourceDiscoveryRequest(resource, insecure);
  const metadata = await oauth.processResourceDiscoveryResponse(resource, described);
  const issuer = new URL(metadata.authorization_servers?.[0] ?? "");
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const registered = await oauth.dynamicClientRegistrationRequest(
    server,
    { redirect_uris: [callback], client_name: "oauth4webapi" },
    insecure,
  );
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  return { resource, metadata, server, client };
}

test("Every step from discovery to revocation follows the standards", async () => {
  const { resource, metadata, server, client } = await discover();
  expect(metadata).toMatchObject({ resource: resource.href, bearer_methods_supported: ["header"] });
  expect(server.code_challenge_methods_supported).toEqual(["S256"]);
  expect(client.token_endpoint_auth_method).toBe("none");

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: callback,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource: resource.href,
    scope: "mcp offline_access",
    state,
  }).toString();
  const browser = createBrowser({ stopAt: (next) => next.href.startsWith(callback) });
  const back = await signInAndDecide(browser, url.href, ada);
  // Checks state and issuer (RFC 9207), too.
  const params = oauth.validateAuthResponse(server, client, new URL(back.url), state);

  const none = oauth.None();
  const redeemed = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    none,
    params,
    callback,
    verifier,
    insecure,
  );
  expect(redeemed.headers.get("cache-control")).toContain("no-store");
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed);
  expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "mcp" });

  const refresh = async (token: string | undefined) =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, token ?? "", insecure),
    );
  const later = await refresh(tokens.refresh_token);
  const called = await postRpc(fixture.base, later.access_token, toToolCall("hub_list", {}));
  expect(called.status).toBe(200);

  const revoked = await oauth.revocationRequest(
    server,
    client,
    none,
    later.refresh_token ?? "",
    insecure,
  );
  expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
  // The error follows RFC 6749, 5.2. The library throws a different error for malformed answers.
  await expect(refresh(later.refresh_token)).rejects.toMatchObject({
    error: "invalid_grant",
    status: 400,
  });
});

test("The library can parse the challenge of the MCP endpoint", async () => {
  const { resource } = await discover();
  const refused = oauth.protectedResourceRequest(
    ...([`hub_oat_${"0".repeat(32)}`, "POST", resource] as const),
    undefined,
    "{}",
    insecure,
  );
  await expect(refused).rejects.toMatchObject({
    cause: [
      {
        scheme: "bearer",
        parameters: {
          error: "invalid_token",
          scope: "mcp",
          resource_metadata: `${fixture.base}/.well-known/oauth-protected-resource`,
        },
      },
    ],
  });
});
