/** Paths of the authorization server. */
export const oauthPaths = {
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
} as const;

export const oauthScope = "mcp";

/** The grants of programs, which need no browser: RFC 6749, section 4.4, and RFC 7523. */
export const machineGrantTypes: ReadonlySet<string> = new Set([
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
]);

/** Asymmetric ones only: with `none` or a shared key, anyone with the public key could sign. */
export const signingAlgorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
] as const;

const idJagProfile = "urn:ietf:params:oauth:grant-profile:id-jag";

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
  { takesDocuments, hasMachines }: { takesDocuments: boolean; hasMachines: boolean },
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
    grant_types_supported: [
      "authorization_code",
      "refresh_token",
      ...(hasMachines ? machineGrantTypes : []),
    ],
    token_endpoint_auth_methods_supported: [
      "none",
      ...(hasMachines ? ["client_secret_basic", "client_secret_post", "private_key_jwt"] : []),
    ],
    ...(hasMachines && {
      token_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
      authorization_grant_profiles_supported: [idJagProfile],
    }),
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
