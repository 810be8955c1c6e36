import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

export type Deputy = { userId: string; namedBy: string };

/** Names who decides an open call beside the users with its tags, or takes it back. False if the call is not open. */
export async function putDeputy(
  trx: Transaction,
  callId: string,
  deputy: Deputy | null,
  at: number,
): Promise<boolean> {
  const kysely = toKysely(trx);
  const { numUpdatedRows } = await kysely
    .updateTable("pending_calls")
    .set({
      deputy_id: deputy?.userId ?? null,
      deputy_by: deputy?.namedBy ?? null,
      // So that the deputy is asked in chats, too.
      chat_state: "",
    })
    .where("id", "=", callId)
    .where("state", "=", "open")
    .where("expires_at", ">", at)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await kysely
    .deleteFrom("pending_call_deciders")
    .where("call_id", "=", callId)
    .where("kind", "=", "user")
    .execute();
  if (deputy === null) return true;
  await kysely
    .insertInto("pending_call_deciders")
    .values({ call_id: callId, kind: "user", name: deputy.userId })
    .execute();
  return true;
}
