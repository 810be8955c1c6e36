/** Paths of the authorization server. */
export const oauthPaths = {
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

export const oauthScope = "mcp";

/** Cookie of the provider's own session, which the hub does not use. */
export const sessionCookie = "hub_oauth_session";

/** The only resource of access tokens (RFC 8707). */
export function toResource(baseUrl: string): string {
  return `${baseUrl}/mcp`;
}

/** The resource without a slash behind it, which is the same endpoint. */
export function withoutLastSlash(resource: string): string {
  return resource.endsWith("/mcp/") ? resource.slice(0, -1) : resource;
}

/** RFC 8414. Written out, so that a metadata request does not load the provider. */
export function describeAuthorizationServer(
  baseUrl: string,
  { takesDocuments }: { takesDocuments: boolean },
) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${oauthPaths.authorize}`,
    token_endpoint: `${baseUrl}${oauthPaths.token}`,
    registration_endpoint: `${baseUrl}${oauthPaths.register}`,
    revocation_endpoint: `${baseUrl}${oauthPaths.revoke}`,
    scopes_supported: [oauthScope, "offline_access"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...(takesDocuments && { client_id_metadata_document_supported: true }),
  };
}

/** RFC 9728. */
export function describeProtectedResource(baseUrl: string) {
  return {
    resource: toResource(baseUrl),
    resource_name: "Hub",
    authorization_servers: [baseUrl],
    scopes_supported: [oauthScope],
    bearer_methods_supported: ["header"],
  };
}
