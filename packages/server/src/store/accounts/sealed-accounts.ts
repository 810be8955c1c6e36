import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The secrets of an account. `label` names its row. */
export type SealedAccount = {
  id: string;
  userId: string;
  rowId: string;
  label: string;
  sealed: Uint8Array;
};

export async function listSealedAccounts(db: Db): Promise<SealedAccount[]> {
  return await toKysely(db)
    .selectFrom("user_accounts")
    .innerJoin("connector_rows", "connector_rows.id", "row_id")
    .select([
      "user_accounts.id",
      "user_id as userId",
      "row_id as rowId",
      "connector_rows.label",
      "sealed",
    ])
    .where("kind", "<>", "removed")
    .orderBy("user_accounts.id")
    .execute();
}

/** Sealed secrets of an account, and the same sealed again. */
export type ResealedAccount = { id: string; from: Uint8Array; to: Uint8Array };

/** Replaces sealed secrets, but not those that changed since they were read; returns their number. */
export async function replaceSealedAccounts(
  trx: Transaction,
  accounts: readonly ResealedAccount[],
): Promise<number> {
  let replaced = 0;
  for (const { id, from, to } of accounts) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("user_accounts")
      .set({ sealed: to })
      .where("id", "=", id)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  return replaced;
}
