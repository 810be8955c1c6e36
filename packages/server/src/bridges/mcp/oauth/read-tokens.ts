import type { OAuthTokens } from "@modelcontextprotocol/client";
import { HubError } from "../../../errors.ts";
import { isScope } from "./connect-target.ts";

/** Tokens of an authorization server. Times are epoch ms. */
export type ReadTokens = {
  accessToken: string;
  refreshToken: string | null;
  /** Null if the server did not say. */
  scope: string | null;
  expiresAt: number | null;
  /** When to refresh them; null if they cannot be. */
  renewAt: number | null;
};

const tokenCharsMax = 16 * 1024;
/** A later end says no more than this. */
const lifetimeMsMax = 10 * 365 * 24 * 60 * 60_000;
/** Requests under way end before the token does. */
const earlyMsMax = 60_000;
const scopesMax = 100;

/** Throws `upstream_error` if they cannot be used as bearer tokens. */
export function readTokens(tokens: OAuthTokens, now: number): ReadTokens {
  const { access_token: accessToken, refresh_token, token_type, expires_in, scope } = tokens;
  if (token_type.toLowerCase() !== "bearer") {
    throw refuse("The authorization server gave tokens of another type than Bearer.");
  }
  if (!isToken(accessToken) || (refresh_token !== undefined && !isToken(refresh_token))) {
    throw refuse("The authorization server gave a token that cannot be sent.");
  }
  const lifetimeMs = toLifetime(expires_in);
  const refreshToken = refresh_token ?? null;
  const early = Math.min(earlyMsMax, (lifetimeMs ?? 0) / 10);
  const scopes = scope?.split(" ").filter(isScope).slice(0, scopesMax);
  return {
    accessToken,
    refreshToken,
    scope: scopes === undefined ? null : scopes.join(" "),
    expiresAt: lifetimeMs === null ? null : now + lifetimeMs,
    renewAt:
      lifetimeMs === null || refreshToken === null ? null : Math.round(now + lifetimeMs - early),
  };
}

/** Null if the server does not say, or says nonsense: then the token is used until it is refused. */
function toLifetime(seconds: number | undefined): number | null {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds <= 0) return null;
  return Math.min(Math.round(seconds * 1000), lifetimeMsMax);
}

/** Attack: a line break in a token would end the header. RFC 6750, section 2.1. */
function isToken(text: string): boolean {
  return text.length <= tokenCharsMax && /^[\x21-\x7e]+$/.test(text);
}

function refuse(message: string): HubError {
  return new HubError("upstream_error", `${message} Ask its operator.`);
}
