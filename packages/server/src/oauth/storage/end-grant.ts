import { recordChange, stampChange } from "../../changes/record-change.ts";
import { transaction } from "../../store/database/database.ts";
import { deleteOAuthGrant, findOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { findUserById } from "../../store/users/users-table.ts";
import type { StorageDeps } from "./storage-deps.ts";

/**
 * Ends a grant with its codes and tokens, and records who took the consent back: the client itself,
 * or the hub, because a code or refresh token was used twice.
 */
export async function endGrant(
  { db, now, findRequest }: StorageDeps,
  grantId: string,
): Promise<void> {
  const grant = await findOAuthGrant(db, grantId);
  if (grant === null) return;
  const { id, userId, clientName: name } = grant;
  const user = (await findUserById(db, userId))?.email ?? "";
  const { ip, isRevocation } = findRequest();
  const stamp = stampChange({ userId, email: user, tokenId: id, via: "token", ip }, now());
  const detail = { user, reason: isRevocation ? "revoked_by_client" : "token_reused" };
  await transaction(db, async (trx) => {
    // Another request may have ended it meanwhile.
    if (!(await deleteOAuthGrant(trx, id))) return;
    const change = { action: "application.revoke", kind: "application", id, name } as const;
    await recordChange(trx, stamp, { ...change, detail });
  });
}
