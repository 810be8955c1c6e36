import type { ConnectionSecrets, OAuthClient } from "./connection-secrets.ts";
import { createOAuthFetch, type OAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";

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
  const oauth = createOAuthFetch(network);
  if (metadata.revocation_kind !== undefined && metadata.revocation_kind !== "standard") {
    return await revokeByKind(oauth, endpoint, metadata.revocation_kind, {
      client,
      token: access_token,
    });
  }
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
    headers.set("authorization", toBasic(client));
  } else {
    body.set("client_id", id);
    if (method === "client_secret_post") body.set("client_secret", secret);
  }
  return await isAccepted(oauth, endpoint, { method: "POST", headers, body });
}

/** As providers do that came before RFC 7009. */
function revokeByKind(
  oauth: OAuthFetch,
  endpoint: string,
  kind: "delete_grant" | "bearer" | "json",
  { client, token }: { client: OAuthClient; token: string },
): Promise<boolean> {
  if (kind === "bearer") {
    const headers = { authorization: `Bearer ${token}` };
    return isAccepted(oauth, endpoint, { method: "POST", headers });
  }
  const headers = { authorization: toBasic(client), "content-type": "application/json" };
  const [method, members] =
    kind === "delete_grant" ? ["DELETE", { access_token: token }] : ["POST", { token }];
  return isAccepted(oauth, endpoint, { method, headers, body: JSON.stringify(members) });
}

async function isAccepted(
  oauth: OAuthFetch,
  endpoint: string,
  init: RequestInit,
): Promise<boolean> {
  try {
    const response = await oauth.fetch(endpoint, init);
    // A grant that is not there has ended already.
    if (init.method === "DELETE" && [404, 422].includes(response.status)) return true;
    return response.ok && !(await isRefusal(response));
  } catch {
    return false;
  }
}

/** Some providers refuse with the status 200. A token that is not valid has ended already. */
async function isRefusal(response: Response): Promise<boolean> {
  const text = await response.text();
  if (!/"ok"\s*:\s*false/.test(text)) return false;
  return !/"(invalid_auth|token_revoked|token_expired|account_inactive|not_authed)"/.test(text);
}

function toBasic({ client_id: id, client_secret: secret = "" }: OAuthClient): string {
  const pair = [id, secret].map(encodeURIComponent).join(":");
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}
