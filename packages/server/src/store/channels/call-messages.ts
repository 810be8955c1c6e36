import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingState } from "../database/tables/pending-tables.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";
import type { ChatIdentity } from "./chat-accounts-table.ts";

/** Calls whose state the chats do not know yet, oldest first. */
export async function listUntoldCalls(db: Db, limit: number): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select("id")
    .where(sql<boolean>`chat_state <> state`)
    .orderBy("created_at")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** Records that the chats know this state. False if the call has another one, or they know already. */
export async function markCallTold(
  db: Transaction,
  { id, state }: { id: string; state: PendingState },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ chat_state: state })
    .where("id", "=", id)
    .where("state", "=", state)
    .where("chat_state", "<>", state)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Open calls of which half of the time has passed, and no reminder was sent. */
export async function listUnremindedCalls(db: Db, at: number, limit: number): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select("id")
    .where(sql<boolean>`state = 'open' and reminded_at is null`)
    .where(sql<number>`(created_at + expires_at)`, "<=", 2 * at)
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** Records a reminder. False if there was one, or the call is not open any more. */
export async function markReminded(
  db: Transaction,
  { id, at }: { id: string; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ reminded_at: at })
    .where("id", "=", id)
    .where("state", "=", "open")
    .where("reminded_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type AskedAccount = ChatIdentity & { userId: string; hasMessage: boolean };

/** Chat accounts of the active users who may be asked about a call, the oldest first. */
export async function listDeciderAccounts(
  db: Db,
  { id, userIds, limit }: { id: string; userIds: readonly string[]; limit: number },
): Promise<AskedAccount[]> {
  const found = await toKysely(db)
    .selectFrom("chat_accounts")
    .innerJoin("users", "users.id", "chat_accounts.user_id")
    .select(["chat_accounts.user_id", "kind", "team_id", "account_id"])
    .select((account) =>
      account
        .exists(
          account
            .selectFrom("call_messages")
            .select("call_messages.id")
            .where("call_messages.call_id", "=", id)
            .whereRef("call_messages.user_id", "=", "chat_accounts.user_id")
            .whereRef("call_messages.kind", "=", "chat_accounts.kind")
            .whereRef("call_messages.account_id", "=", "chat_accounts.account_id"),
        )
        .as("has_message"),
    )
    .where("users.status", "=", "active")
    .where((account) =>
      account.or([
        ...(userIds.length === 0 ? [] : [account("users.id", "in", userIds)]),
        account.exists(
          account
            .selectFrom("pending_call_deciders")
            .select("call_id")
            .where("call_id", "=", id)
            .where((one) =>
              one.or([
                one.and([
                  one("pending_call_deciders.kind", "=", "user"),
                  one("pending_call_deciders.name", "=", one.ref("users.id")),
                ]),
                one.and([
                  one("pending_call_deciders.kind", "=", "tag"),
                  one.or([
                    one("pending_call_deciders.name", "=", EVERYONE_TAG),
                    one.exists(
                      one
                        .selectFrom("user_tags")
                        .innerJoin("tags", "tags.id", "user_tags.tag_id")
                        .select("tags.id")
                        .whereRef("user_tags.user_id", "=", "users.id")
                        .whereRef("tags.name", "=", "pending_call_deciders.name"),
                    ),
                  ]),
                ]),
              ]),
            ),
        ),
      ]),
    )
    .orderBy("chat_accounts.created_at")
    .orderBy("chat_accounts.id")
    .limit(limit)
    .execute();
  return found.map(({ user_id: userId, team_id: teamId, account_id: accountId, ...one }) => ({
    userId,
    kind: one.kind,
    accountId,
    teamId: teamId === "" ? null : teamId,
    hasMessage: Boolean(one.has_message),
  }));
}
