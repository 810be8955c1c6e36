import type { ConnectionSecrets } from "./connection-secrets.ts";
import { createOAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";

/**
 * Asks the authorization server to end a connection's tokens (RFC 7009). Null if it does not offer
 * this, else whether it succeeded.
 */
export async function revokeTokens(
  network: OAuthNetwork,
  { metadata, client, access_token, refresh_token }: ConnectionSecrets,
): Promise<boolean | null> {
  const { revocation_endpoint: endpoint } = metadata;
  if (endpoint === undefined) return null;
  const { selectClientAuthMethod } = await import("@modelcontextprotocol/client");
  const method = selectClientAuthMethod(client, metadata.token_endpoint_auth_methods_supported);
  const { client_id: id, client_secret: secret = "" } = client;
  // Ending a refresh token ends its access tokens too.
  const body = new URLSearchParams(
    refresh_token === null
      ? { token: access_token, token_type_hint: "access_token" }
      : { token: refresh_token, token_type_hint: "refresh_token" },
  );
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  if (method === "client_secret_basic") {
    const pair = [id, secret].map(encodeURIComponent).join(":");
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  } else {
    body.set("client_id", id);
    if (method === "client_secret_post") body.set("client_secret", secret);
  }
  const oauth = createOAuthFetch(network);
  try {
    const { ok } = await oauth.fetch(endpoint, { method: "POST", headers, body });
    return ok;
  } catch {
    return false;
  }
}
