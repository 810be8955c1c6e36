import type { Caller } from "../caller.ts";
import type { HotReads, TokenOwner } from "../store/database/hot-reads.ts";
import type { TokenScope } from "../store/database/tables/user-tables.ts";
import { isActive, toCaller } from "./to-caller.ts";

export type AuthenticateDeps = {
  reads: Pick<HotReads, "findTokenOwner" | "findOAuthTokenOwner">;
  now: () => number;
  /** Records that a token was used. The uses are written later, in one batch. */
  recordUse: (tokenId: string, at: number) => void;
};

const personalToken = /^hub_pat_[0-9a-f]{32}$/;
const oauthToken = /^hub_oat_[0-9a-f]{32}$/;

/**
 * The caller of a bearer token, or null. Reads the current token and user from the database, so
 * that a revoked token or a disabled user is refused at the next request.
 */
export async function authenticateBearer(
  deps: AuthenticateDeps,
  token: string,
): Promise<Caller | null> {
  const owner = checkOwner(deps, await findOwner(deps.reads, token));
  return owner === null ? null : toCaller(owner, owner.tokenId, toPrincipalKind(token));
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
  return owner === null
    ? null
    : { caller: toCaller(owner, owner.tokenId, "token"), scope: owner.scope };
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
