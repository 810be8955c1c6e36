import type { Caller } from "../caller.ts";
import { parseTokenBounds, toCallBounds } from "../lib/call-bounds.ts";
import { createTrustedProxies } from "../lib/network/trusted-proxies.ts";
import type { HotReads, TokenOwner } from "../store/database/hot-reads.ts";
import type { TokenScope } from "../store/database/tables/user-tables.ts";
import { isActive, toCaller } from "./to-caller.ts";

export type AuthenticateDeps = {
  reads: Pick<HotReads, "findTokenOwner" | "findOAuthTokenOwner">;
  now: () => number;
  /** Records that a token was used. The uses are written later, in one batch. */
  recordUse: (tokenId: string, at: number) => void;
};

/**
 * The second form is of tokens with bounds and of service users. A server of the version before, which knows neither, knows no
 * such token.
 */
const personalToken = /^hub_(?:pat|pbt)_[0-9a-f]{32}$/;
const oauthToken = /^hub_(?:oat|obt)_[0-9a-f]{32}$/;

/**
 * The caller of a bearer token, or null. Reads the current token and user from the database, so
 * that a revoked token or a disabled user is refused at the next request.
 */
export async function authenticateBearer(
  deps: AuthenticateDeps,
  token: string,
  from: RequestAddress,
): Promise<Caller | null> {
  const owner = checkOwner(deps, await findOwner(deps.reads, token));
  if (owner === null) return null;
  const caller = toCaller(owner, owner.tokenId, toPrincipalKind(token));
  return owner.bounds === null ? caller : bindCaller(caller, owner.bounds, from);
}

/** The address of a client, or `checked` for a request whose address was checked when it arrived. */
export type RequestAddress = { ip: string | null } | "checked";

/** Null for a client at another address than the bounds name. */
function bindCaller(caller: Caller, text: string, from: RequestAddress): Caller | null {
  const bounds = parseTokenBounds(text);
  const { addresses } = bounds;
  if (addresses !== undefined && from !== "checked") {
    if (from.ip === null || !createTrustedProxies(addresses)(from.ip)) return null;
  }
  return { ...caller, bounds: toCallBounds(bounds) };
}

/** The caller and the scope of a valid personal access token. */
export type PersonalBearer = { caller: Caller; scope: TokenScope };

/**
 * The same for endpoints that refuse OAuth tokens: users allow applications to call tools and
 * nothing else. The endpoint checks the token's scope.
 */
export async function authenticatePersonalToken(
  deps: AuthenticateDeps,
  token: string,
): Promise<PersonalBearer | null> {
  if (!personalToken.test(token)) return null;
  const owner = checkOwner(deps, await findOwner(deps.reads, token));
  if (owner === null) return null;
  const caller = toCaller(owner, owner.tokenId, "token");
  // They open MCP alone, whatever is stored: the endpoint refuses this scope.
  const scope = owner.bounds === null && owner.kind === "person" ? owner.scope : "mcp";
  return { caller, scope };
}

function toPrincipalKind(token: string): "token" | "grant" {
  return oauthToken.test(token) ? "grant" : "token";
}

/** The owner if the token and its user are valid now. Records the use. */
function checkOwner(deps: AuthenticateDeps, owner: TokenOwner | null): TokenOwner | null {
  if (owner === null || !isActive(owner) || owner.revokedAt !== null) return null;
  const now = deps.now();
  if (owner.expiresAt !== null && owner.expiresAt <= now) return null;
  deps.recordUse(owner.tokenId, now);
  return owner;
}

/** The prefix names the kind. Other texts cause no query. */
function findOwner(
  reads: AuthenticateDeps["reads"],
  token: string,
): Promise<TokenOwner | null> | null {
  if (personalToken.test(token)) return reads.findTokenOwner(hashToken(token));
  if (oauthToken.test(token)) return reads.findOAuthTokenOwner(hashToken(token));
  return null;
}

/** The stored form of a token; its plaintext is never stored. */
export function hashToken(token: string): Uint8Array {
  const digest = new Uint8Array(Bun.SHA256.byteLength);
  Bun.SHA256.hash(token, digest);
  return digest;
}
