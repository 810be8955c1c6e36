import type { PreparedCall } from "../calls/prepare-call.ts";

/**
 * The account that a call uses, as what is approved names it; null for the access of its row. Another text once its user has
 * typed other values: what was approved is of the account that was there.
 */
export function toAskedAccount({ account }: Pick<PreparedCall, "account">): string | null {
  if (account?.kind !== "own") return null;
  return account.valuesId === null ? account.id : `${account.id} ${account.valuesId}`;
}
