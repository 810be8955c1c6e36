import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

/** A sign-in of a user at an authorization server that is under way. */
export type AccountConnect = {
  stateHash: Uint8Array;
  userId: string;
  sessionId: string;
  rowId: string;
  /** Of the account that it makes or connects again. */
  label: string;
  sealed: Uint8Array;
  expiresAt: number;
};

/** Of one user, over all rows. */
const openMax = 20;

/** Also removes those that have expired, and the oldest of a user who has begun many. The user and the row exist. */
export function putAccountConnect(db: Db, connect: AccountConnect, now: number): Promise<void> {
  const { stateHash, userId, sessionId, rowId, label, sealed, expiresAt } = connect;
  return transaction(db, async (trx) => {
    const connects = toKysely(trx);
    await connects.deleteFrom("account_connects").where("expires_at", "<=", now).execute();
    const open = await connects
      .selectFrom("account_connects")
      .select("state_hash")
      .where("user_id", "=", userId)
      .orderBy("expires_at", "desc")
      .execute();
    for (const { state_hash } of open.slice(openMax - 1)) {
      await connects.deleteFrom("account_connects").where("state_hash", "=", state_hash).execute();
    }
    await connects
      .insertInto("account_connects")
      .values({
        state_hash: stateHash,
        user_id: userId,
        session_id: sessionId,
        row_id: rowId,
        label,
        sealed,
        expires_at: expiresAt,
      })
      .execute();
  });
}

/** Removes it and returns it: only one of two callers gets it. Null if there is none. */
export async function takeAccountConnect(
  db: Db,
  stateHash: Uint8Array,
): Promise<AccountConnect | null> {
  const taken = await toKysely(db)
    .deleteFrom("account_connects")
    .where("state_hash", "=", stateHash)
    .returning(tableColumns.account_connects)
    .executeTakeFirst();
  if (taken === undefined) return null;
  return {
    stateHash: taken.state_hash,
    userId: taken.user_id,
    sessionId: taken.session_id,
    rowId: taken.row_id,
    label: taken.label,
    sealed: taken.sealed,
    expiresAt: taken.expires_at,
  };
}
