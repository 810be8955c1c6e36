import { recordEndings } from "../accounts/account-endings.ts";
import { listUserAccounts, removeUserAccount } from "../accounts/user-accounts-table.ts";
import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { endPendingCallsOf } from "../pending/end-pending-calls.ts";
import { deleteSessionsOf } from "./sessions-table.ts";

/**
 * Ends what the user has opened, for good: sessions, tokens, grants of applications, accounts in rows and calls that wait. A user
 * who is enabled again signs in and connects again.
 */
export async function endUserAccess(trx: Transaction, userId: string, at: number): Promise<void> {
  await deleteSessionsOf(trx, userId);
  await toKysely(trx)
    .updateTable("personal_access_tokens")
    .set({ revoked_at: at })
    .where("user_id", "=", userId)
    .where("revoked_at", "is", null)
    .execute();
  await toKysely(trx).deleteFrom("oauth_grants").where("user_id", "=", userId).execute();
  await recordEndings(trx, { userId }, at);
  for (const account of await listUserAccounts(trx, userId)) {
    await removeUserAccount(trx, account, at);
  }
  await endPendingCallsOf(trx, { userId, reason: "the user was disabled", at });
}
