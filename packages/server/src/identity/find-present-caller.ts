import type { Caller } from "../caller.ts";
import { toCallBounds } from "../lib/call-bounds.ts";
import type { Db } from "../store/database/database.ts";
import type { HotReads } from "../store/database/hot-reads.ts";
import { findOAuthGrant } from "../store/oauth/oauth-grants.ts";
import { findToken } from "../store/users/tokens-table.ts";
import { type AuthenticateDeps, authenticateBearer } from "./authenticate-bearer.ts";
import { isActive, toCaller } from "./to-caller.ts";

type PresentDeps = AuthenticateDeps & { reads: Pick<HotReads, "findUserAccess">; db: Db };

/**
 * The caller of a request that still runs, as stored now; null if the right was taken away. Unlike for a new request, a
 * token may have expired, or may have been replaced by its application, since the request began.
 */
export async function findPresentCaller(
  deps: PresentDeps,
  token: string,
  { userId, tokenId }: Pick<Caller, "userId" | "tokenId">,
): Promise<Caller | null> {
  const present = await authenticateBearer(deps, token, "checked");
  if (present !== null) return present;
  const user = await deps.reads.findUserAccess(userId);
  if (user === null || !isActive(user) || tokenId === null) return null;
  const personal = await findToken(deps.db, tokenId);
  // The token of an application is named by its grant, which ends when it is revoked.
  const kept = personal ?? (await findOAuthGrant(deps.db, tokenId));
  if (kept === null || personal?.revokedAt != null) return null;
  const caller = toCaller(user, tokenId, personal === null ? "grant" : "token");
  return kept.bounds === null ? caller : { ...caller, bounds: toCallBounds(kept.bounds) };
}
