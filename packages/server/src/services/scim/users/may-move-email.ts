import type { Transaction } from "../../../store/database/database.ts";
import { hasIdentityOf, type ScimUserRecord } from "../../../store/scim/scim-users-table.ts";
import { hasBelongings } from "../../../store/scim/user-belongings.ts";
import { findUserOrigins } from "../../../store/users/user-origins.ts";

/**
 * Whether a client may change the e-mail of a user. At a first sign-in by an issuer the e-mail decides who becomes this user, and a
 * stolen token must not choose that person. An identity of the hub's present issuer, `issuer`, shuts all others out. Without one, as before
 * the first sign-in, after the account was unlinked or when the hub has another issuer, only a user goes on to another person whom SCIM
 * made, and who has nothing but what groups give.
 */
export async function mayMoveEmail(
  trx: Transaction,
  { id, role }: Pick<ScimUserRecord, "id" | "role">,
  issuer: string | null,
): Promise<boolean> {
  if (role === "admin") return false;
  if (issuer !== null && (await hasIdentityOf(trx, { userId: id, issuer }))) return true;
  const origins = await findUserOrigins(trx, id);
  if (origins === null || origins.origin !== "scim" || origins.handRole === "admin") return false;
  return !(await hasBelongings(trx, id));
}
