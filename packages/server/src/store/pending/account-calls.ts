import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Which calls that need an account: one, or those of a user in a row. */
type AccountCalls = { id: string } | { userId: string; rowId: string };

/** The calls of a user that wait for an account may run: it is connected. */
export async function approveAccountCalls(
  db: Db,
  calls: AccountCalls,
  { by, at, approvedUntil }: { by: string; at: number; approvedUntil: number },
): Promise<void> {
  const update = toKysely(db)
    .updateTable("pending_calls")
    .set({
      state: "approved",
      decided_at: at,
      decided_by: by,
      decided_via: "account",
      approved_until: approvedUntil,
    })
    .where("reason", "=", "account")
    .where("state", "=", "open")
    .where("expires_at", ">", at);
  const chosen =
    "id" in calls
      ? update.where("id", "=", calls.id)
      : update.where("user_id", "=", calls.userId).where("row_id", "=", calls.rowId);
  await chosen.execute();
}

/** A call waits for an account again: what was connected is not what it needs. */
export async function reopenAccountCall(trx: Transaction, id: string, at: number): Promise<void> {
  await toKysely(trx)
    .updateTable("pending_calls")
    .set({
      state: "open",
      decided_at: null,
      decided_by: null,
      decided_via: null,
      approved_until: null,
    })
    .where("id", "=", id)
    .where("reason", "=", "account")
    .where("state", "=", "approved")
    .where("expires_at", ">", at)
    .execute();
}

/** A call that waits for an account is asked anew, because what it is sent to has changed. */
export async function markChangedAccountCall(trx: Transaction, id: string): Promise<void> {
  await toKysely(trx)
    .updateTable("pending_calls")
    .set({ state: "changed", ended_reason: "the row or the operation" })
    .where("id", "=", id)
    .where("reason", "=", "account")
    .where("state", "in", ["open", "approved"])
    .execute();
}
