/** The path to which authorization servers send browsers back, of all rows. */
export const connectCallbackPath = "/auth/connect/callback";

export function toRedirectUri(baseUrl: string): string {
  return `${baseUrl}${connectCallbackPath}`;
}

/**
 * The redirect URI of a row. Attack: servers that do not name themselves in their answers (RFC 9207) could pass one row's code to
 * another's server. So each row with given addresses has a URI of its own, which its authorization server checks.
 */
export function toTargetRedirectUri(
  baseUrl: string,
  { rowId, given }: { rowId: string; given: object | null },
): string {
  return given === null ? toRedirectUri(baseUrl) : `${toRedirectUri(baseUrl)}/${rowId}`;
}

/** Whether an answer came to this path of the hub. A proxy may have removed what stands before it in the hub's address. */
export function isRedirectPath({ redirectUri }: { redirectUri: string }, path: string): boolean {
  return new URL(redirectUri).pathname.endsWith(path);
}

/** The path of the document that describes the hub as a client; its address is the client id. */
export const clientDocumentPath = "/auth/connect/client.json";

/** What the hub says of itself to authorization servers. */
export function describeClient(baseUrl: string) {
  return {
    client_name: "Hub",
    redirect_uris: [toRedirectUri(baseUrl)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** The document at this path, of draft-ietf-oauth-client-id-metadata-document. */
export function describeClientDocument(baseUrl: string) {
  return {
    client_id: `${baseUrl}${clientDocumentPath}`,
    ...describeClient(baseUrl),
    token_endpoint_auth_method: "none",
  };
}
