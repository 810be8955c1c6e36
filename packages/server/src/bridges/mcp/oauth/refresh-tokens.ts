import { findKnownCode, toConnectError } from "./connect-error.ts";
import type { ConnectionSecrets } from "./connection-secrets.ts";
import type { OAuthNetwork } from "./oauth-fetch.ts";
import { type ReadTokens, readTokens } from "./read-tokens.ts";
import { createTokenFetch } from "./token-fetch.ts";

export type RefreshOutcome =
  | { kind: "refreshed"; tokens: ReadTokens; secrets: ConnectionSecrets }
  /** Another try has the same end: an admin must connect the row again. */
  | { kind: "lost"; reason: string }
  /** The server refuses the hub as a client: an admin must correct the row. */
  | { kind: "client"; reason: string }
  /** The server could not be reached, or failed. */
  | { kind: "failed"; reason: string };

/** Refusals that another try does not change. */
const finalCodes = new Set([
  "invalid_grant",
  // The user must sign in again, for a second factor or a new policy.
  "interaction_required",
  "consent_required",
  "login_required",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_target",
]);

const clientCodes = new Set(["invalid_client", "unauthorized_client"]);

/** Exchanges the refresh token, at the address that the metadata named when the row was connected. */
export async function refreshTokens(
  network: OAuthNetwork,
  secrets: ConnectionSecrets & { refresh_token: string },
  now: () => number,
): Promise<RefreshOutcome> {
  const { refreshAuthorization } = await import("@modelcontextprotocol/client");
  const { metadata, client, resource, refresh_token: refreshToken } = secrets;
  const oauth = createTokenFetch(network, metadata);
  try {
    const given = await refreshAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      refreshToken,
      ...(resource !== null && { resource }),
      fetchFn: oauth.fetch,
    });
    const tokens = readTokens(given, now());
    return {
      kind: "refreshed",
      tokens,
      secrets: {
        ...secrets,
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken ?? refreshToken,
      },
    };
  } catch (thrown) {
    const failure = oauth.findFailure();
    if (failure !== null) return { kind: "failed", reason: toConnectError(failure).message };
    const code = findKnownCode(Object(thrown).code);
    if (code !== null && clientCodes.has(code)) {
      return {
        kind: "client",
        reason: `The authorization server refused the hub's client (${code}).`,
      };
    }
    if (code !== null && finalCodes.has(code)) {
      return { kind: "lost", reason: `The authorization server refused to renew it (${code}).` };
    }
    const status = oauth.findStatus() ?? 0;
    const reason = toConnectError(thrown).message;
    // It gave an answer, so it has ended the former refresh token.
    if (status >= 200 && status < 300) return { kind: "lost", reason };
    return { kind: "failed", reason };
  }
}
