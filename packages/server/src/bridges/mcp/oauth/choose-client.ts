import { HubError } from "../../../errors.ts";
import { toConnectError } from "./connect-error.ts";
import type { ConnectTarget } from "./connect-target.ts";
import type { OAuthClient } from "./connection-secrets.ts";
import type { FoundServer } from "./discover-server.ts";
import { createOAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";

/** How the hub became a client: set in the row, or registered by itself (RFC 7591). */
export type ChosenClient = { client: OAuthClient; kind: "given" | "registered" };

/** Throws `upstream_error` if the authorization server does not register the hub. */
export async function chooseClient(
  network: Omit<OAuthNetwork, "policy">,
  target: ConnectTarget,
  server: FoundServer,
  redirectUri: string,
): Promise<ChosenClient> {
  if (target.client !== null) {
    const { id, secret } = target.client;
    return {
      kind: "given",
      client: { client_id: id, ...(secret !== null && { client_secret: secret }) },
    };
  }
  if (server.registrationEndpoint === null) {
    throw new HubError(
      "upstream_error",
      `The authorization server does not register clients by itself. Register the hub there with the redirect URI ${redirectUri}, and set client_id in the row.`,
    );
  }
  return { kind: "registered", client: await register(network, target, server, redirectUri) };
}

async function register(
  network: Omit<OAuthNetwork, "policy">,
  { policy }: ConnectTarget,
  { metadata, registrationEndpoint, scope }: FoundServer,
  redirectUri: string,
): Promise<OAuthClient> {
  const { registerClient } = await import("@modelcontextprotocol/client");
  const oauth = createOAuthFetch({ ...network, policy });
  try {
    const registered = await registerClient(metadata.issuer, {
      metadata: { ...metadata, registration_endpoint: registrationEndpoint ?? undefined },
      clientMetadata: {
        client_name: "Hub",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: new URL(redirectUri).protocol === "https:" ? "web" : "native",
        token_endpoint_auth_method: chooseMethod(metadata.token_endpoint_auth_methods_supported),
      },
      ...(scope !== null && { scope }),
      fetchFn: oauth.fetch,
    });
    const { client_id, client_secret, token_endpoint_auth_method } = registered;
    return {
      client_id,
      ...(client_secret !== undefined && { client_secret }),
      ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
    };
  } catch (thrown) {
    throw toConnectError(oauth.findFailure() ?? thrown);
  }
}

/** PKCE and the rotation of refresh tokens protect a client without a secret. */
function chooseMethod(offered: readonly string[]): string {
  const wanted = ["none", "client_secret_basic", "client_secret_post"];
  return wanted.find((method) => offered.includes(method)) ?? "none";
}
