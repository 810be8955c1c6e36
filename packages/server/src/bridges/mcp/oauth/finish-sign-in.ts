import { HubError } from "../../../errors.ts";
import { findKnownCode, toConnectError } from "./connect-error.ts";
import type { Attempt, ConnectionSecrets } from "./connection-secrets.ts";
import type { OAuthNetwork } from "./oauth-fetch.ts";
import { type ReadTokens, readTokens } from "./read-tokens.ts";
import { createTokenFetch } from "./token-fetch.ts";

export type FinishedConnect = {
  tokens: ReadTokens;
  secrets: ConnectionSecrets;
  /** Who has signed in, if the server said so. */
  identity: string | null;
};

/**
 * Exchanges the code of an authorization server's answer for tokens. Throws `upstream_error` if the
 * answer is another server's (RFC 9207), or a refusal.
 */
export async function finishConnect(
  network: OAuthNetwork,
  { metadata, client, resource, redirectUri, codeVerifier }: Attempt,
  answer: URLSearchParams,
  now: () => number,
): Promise<FinishedConnect> {
  const { exchangeAuthorization, validateAuthorizationResponseIssuer } = await import(
    "@modelcontextprotocol/client"
  );
  const oauth = createTokenFetch(network, metadata);
  // Only an issuer that is known can be compared.
  const isCompared = metadata.has_known_issuer !== false;
  const iss = isCompared ? (answer.get("iss") ?? undefined) : undefined;
  try {
    // Before anything else of the answer is believed, also its refusal.
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported,
    });
    const code = readCode(answer);
    const given = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri,
      ...(resource !== null && { resource }),
      ...(iss !== undefined && { iss }),
      fetchFn: oauth.fetch,
    });
    const tokens = readTokens(given, now());
    return {
      tokens,
      identity: oauth.findIdentity(),
      secrets: {
        metadata,
        client,
        resource,
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken,
      },
    };
  } catch (thrown) {
    throw toConnectError(oauth.findFailure() ?? thrown);
  }
}

function readCode(answer: URLSearchParams): string {
  const refusal = answer.get("error");
  if (refusal !== null) {
    throw new HubError(
      "upstream_error",
      refusal === "access_denied"
        ? "The access was not allowed at the authorization server. Open the row and connect it again."
        : `The authorization server refused the sign-in (${findKnownCode(refusal) ?? "unknown error"}). Open the row and connect it again; if it fails again, check its scopes and client_id.`,
    );
  }
  const code = answer.get("code");
  if (code !== null && code !== "") return code;
  throw new HubError(
    "upstream_error",
    "The authorization server's answer has no code. Open the row and connect it again.",
  );
}
