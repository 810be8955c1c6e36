import { pendingLimits } from "../../operations/pending/pending-limits.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import type { Transaction } from "../../store/database/database.ts";
import { approveAccountCalls } from "../../store/pending/account-calls.ts";

/** Lets the calls of a user run that wait for an account in the row. In the transaction that connects it. */
export async function answerAccountCalls(
  trx: Transaction,
  { userId, rowId }: Pick<UserAccount, "userId" | "rowId">,
  at: number,
): Promise<void> {
  const approvedUntil = at + pendingLimits.approvedMs;
  await approveAccountCalls(trx, { userId, rowId }, { by: userId, at, approvedUntil });
}
