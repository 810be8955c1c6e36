import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

/** A sign-in at an authorization server that is under way. */
export type RowConnect = {
  stateHash: Uint8Array;
  rowId: string;
  sessionId: string;
  sealed: Uint8Array;
  expiresAt: number;
};

/** Also removes those that have expired. The row exists. */
export function putRowConnect(db: Db, connect: RowConnect, now: number): Promise<void> {
  return transaction(db, async (trx) => {
    await toKysely(trx).deleteFrom("row_connects").where("expires_at", "<=", now).execute();
    const { stateHash, rowId, sessionId, sealed, expiresAt } = connect;
    await toKysely(trx)
      .insertInto("row_connects")
      .values({
        state_hash: stateHash,
        row_id: rowId,
        session_id: sessionId,
        sealed,
        expires_at: expiresAt,
      })
      .execute();
  });
}

/** Removes it and returns it: only one of two callers gets it. Null if there is none. */
export async function takeRowConnect(db: Db, stateHash: Uint8Array): Promise<RowConnect | null> {
  const taken = await toKysely(db)
    .deleteFrom("row_connects")
    .where("state_hash", "=", stateHash)
    .returning(tableColumns.row_connects)
    .executeTakeFirst();
  if (taken === undefined) return null;
  return {
    stateHash: taken.state_hash,
    rowId: taken.row_id,
    sessionId: taken.session_id,
    sealed: taken.sealed,
    expiresAt: taken.expires_at,
  };
}
