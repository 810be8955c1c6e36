import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { HubError } from "../../../errors.ts";
import { toConnectError } from "./connect-error.ts";
import { type ConnectTarget, isScope } from "./connect-target.ts";
import type { ServerMetadata } from "./connection-secrets.ts";
import type { FoundServer } from "./found-server.ts";
import { toFoundServer } from "./named-server.ts";
import { createOAuthFetch, type OAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";
import { toSecureAddress } from "./secure-address.ts";

type Library = typeof import("@modelcontextprotocol/client");

/**
 * Asks the MCP server who authorizes (RFC 9728), and that authorization server for its metadata
 * (RFC 8414). Throws `upstream_error` with what is wrong.
 */
export async function discoverServer(
  network: Omit<OAuthNetwork, "policy">,
  target: ConnectTarget,
): Promise<FoundServer> {
  if (target.given !== null) return toFoundServer(target.given, target);
  const library = await import("@modelcontextprotocol/client");
  const oauth = createOAuthFetch({ ...network, policy: target.policy });
  try {
    return await discover(library, oauth, target);
  } catch (thrown) {
    throw toConnectError(oauth.findFailure() ?? thrown);
  }
}

async function discover(
  library: Library,
  oauth: OAuthFetch,
  target: ConnectTarget,
): Promise<FoundServer> {
  const challenge = await readChallenge(library, oauth, target);
  const found = await findResource(library, oauth, target, challenge.metadataUrl);
  const issuer = found?.authorization_servers?.[0] ?? new URL("/", target.address).href;
  if (found !== null) checkResource(library, target, found.resource);
  const server = await library.discoverAuthorizationServerMetadata(issuer, {
    fetchFn: oauth.fetch,
  });
  if (server === undefined) {
    throw refuse(
      `${new URL(issuer).host} has no metadata of an authorization server. Ask the operator of the MCP server whether it offers OAuth.`,
    );
  }
  checkServer(server);
  const scope = target.scope ?? toScope(challenge.scope?.split(" ") ?? found?.scopes_supported);
  return {
    metadata: toMetadata(server),
    registrationEndpoint: toAddress(server.registration_endpoint),
    resource: found?.resource ?? library.resourceUrlFromServerUrl(target.address).href,
    scope: target.scope ?? addOfflineAccess(scope, server.scopes_supported),
    takesDocuments: server.client_id_metadata_document_supported === true,
  };
}

/** The refusal of a request without a token names the metadata and the scopes. */
async function readChallenge(
  { extractWWWAuthenticateParams }: Library,
  oauth: OAuthFetch,
  { address, transport }: ConnectTarget,
): Promise<{ metadataUrl: URL | null; scope: string | null }> {
  const response = await oauth.fetch(address, {
    redirect: "follow",
    // A stream that a server opens without a token is as long as it likes, so it is not asked for.
    ...(transport === "http"
      ? {
          method: "POST",
          headers: {
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
          },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
        }
      : { method: "HEAD" }),
  });
  if (response.status !== 401 && response.status !== 403) return { metadataUrl: null, scope: null };
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { metadataUrl: resourceMetadataUrl ?? null, scope: scope ?? null };
}

/** Null if the server has no such document, as servers of 2025-03-26. */
async function findResource(
  { discoverOAuthProtectedResourceMetadata }: Library,
  oauth: OAuthFetch,
  { address }: ConnectTarget,
  metadataUrl: URL | null,
) {
  try {
    return await discoverOAuthProtectedResourceMetadata(
      address,
      metadataUrl === null ? {} : { resourceMetadataUrl: metadataUrl },
      oauth.fetch,
    );
  } catch (thrown) {
    const status = oauth.findStatus();
    const isAbsent = status !== null && status >= 400 && status < 500;
    if (oauth.findFailure() === null && isAbsent && metadataUrl === null) return null;
    throw thrown;
  }
}

/** Attack: a server that names another one's address gets a token for that one. */
function checkResource(
  { checkResourceAllowed }: Library,
  { address }: ConnectTarget,
  resource: string,
): void {
  const isOwn =
    URL.canParse(resource) &&
    checkResourceAllowed({ requestedResource: address, configuredResource: resource });
  if (isOwn) return;
  throw refuse(
    "The MCP server's metadata is for another address than the row's. An admin can correct the row's address.",
  );
}

function checkServer(server: AuthorizationServerMetadata): void {
  const { code_challenge_methods_supported: methods = [], response_types_supported } = server;
  // The specification of MCP says to refuse a server that does not name it.
  if (!methods.includes("S256")) {
    throw refuse(
      "The authorization server does not say that it supports PKCE with S256, which MCP requires. Ask its operator.",
    );
  }
  if (!response_types_supported.includes("code")) {
    throw refuse("The authorization server does not support the response type code.");
  }
}

/** Only what later requests need is kept. */
function toMetadata(server: AuthorizationServerMetadata): ServerMetadata {
  const methods = server.token_endpoint_auth_methods_supported;
  // Documents of OpenID Connect have it too, but their schema does not name it.
  const revocation = "revocation_endpoint" in server ? toAddress(server.revocation_endpoint) : null;
  return {
    issuer: server.issuer,
    authorization_endpoint: toSecureAddress(server.authorization_endpoint),
    token_endpoint: toSecureAddress(server.token_endpoint ?? ""),
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported:
      server.authorization_response_iss_parameter_supported === true,
    // The default of RFC 8414.
    token_endpoint_auth_methods_supported: (methods ?? ["client_secret_basic"]).slice(0, 20),
    ...(revocation !== null && { revocation_endpoint: revocation }),
  };
}

function toAddress(value: unknown): string | null {
  return typeof value === "string" ? toSecureAddress(value) : null;
}

const scopesMax = 100;

function toScope(scopes: readonly string[] | undefined): string | null {
  const valid = (scopes ?? []).filter(isScope).slice(0, scopesMax);
  return valid.length === 0 ? null : valid.join(" ");
}

/** Without it, some servers give no refresh token, and the row must be connected again every hour. */
function addOfflineAccess(scope: string | null, offered: readonly string[] = []): string | null {
  const name = "offline_access";
  if (!offered.includes(name) || scope?.split(" ").includes(name)) return scope;
  return scope === null ? name : `${scope} ${name}`;
}

function refuse(message: string): HubError {
  return new HubError("upstream_error", message);
}
