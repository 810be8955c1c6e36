import { HubError } from "../../../errors.ts";
import { toConnectError } from "./connect-error.ts";
import type { ConnectTarget } from "./connect-target.ts";
import type { OAuthClient } from "./connection-secrets.ts";
import { describeClient, describeClientDocument, toRedirectUri } from "./describe-client.ts";
import type { FoundServer } from "./found-server.ts";
import { createOAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";

/**
 * How the hub became a client: set in the row, registered by itself (RFC 7591), or described by its
 * own document.
 */
export type ChosenClient = { client: OAuthClient; kind: "given" | "registered" | "document" };

/** The clients that the hub has registered for a row, which the accounts of all its users share. */
export type ClientStore = {
  find(issuer: string): Promise<OAuthClient | null>;
  put(issuer: string, client: OAuthClient): Promise<void>;
};

/** Throws `upstream_error` if the authorization server does not take the hub as a client. */
export async function chooseClient(
  network: Omit<OAuthNetwork, "policy">,
  target: ConnectTarget,
  server: FoundServer,
  { baseUrl, clients }: { baseUrl: string; clients: ClientStore | undefined },
): Promise<ChosenClient> {
  if (target.client !== null) {
    const { id, secret } = target.client;
    return {
      kind: "given",
      client: { client_id: id, ...(secret !== null && { client_secret: secret }) },
    };
  }
  const { registrationEndpoint } = server;
  if (registrationEndpoint !== null) {
    const { issuer } = server.metadata;
    const known = (await clients?.find(issuer)) ?? null;
    if (known !== null) return { kind: "registered", client: known };
    const client = await register({ ...network, policy: target.policy }, server, {
      baseUrl,
      registrationEndpoint,
    });
    await clients?.put(issuer, client);
    return { kind: "registered", client };
  }
  // Second, because the authorization server must be able to reach the hub.
  if (server.takesDocuments && baseUrl.startsWith("https:")) {
    const { client_id, token_endpoint_auth_method } = describeClientDocument(baseUrl);
    return { kind: "document", client: { client_id, token_endpoint_auth_method } };
  }
  throw new HubError(
    "upstream_error",
    `The authorization server does not register clients by itself. Register the hub there with the redirect URI ${toRedirectUri(baseUrl)}, and set client_id in the row.`,
  );
}

async function register(
  network: OAuthNetwork,
  { metadata, scope }: FoundServer,
  { baseUrl, registrationEndpoint }: { baseUrl: string; registrationEndpoint: string },
): Promise<OAuthClient> {
  const { registerClient } = await import("@modelcontextprotocol/client");
  const oauth = createOAuthFetch(network);
  try {
    const registered = await registerClient(metadata.issuer, {
      metadata: { ...metadata, registration_endpoint: registrationEndpoint },
      clientMetadata: {
        ...describeClient(baseUrl),
        application_type: baseUrl.startsWith("https:") ? "web" : "native",
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
