import type { PreparedCall } from "../calls/prepare-call.ts";

/**
 * The account that a call uses, as what is approved names it; null for the access of its row. Another text once its user has
 * connected it again as who may be another person: what was approved is of the one who was there.
 */
export function toAskedAccount({ account }: Pick<PreparedCall, "account">): string | null {
  if (account?.kind !== "own") return null;
  return account.personId === null ? account.id : `${account.id} ${account.personId}`;
}
