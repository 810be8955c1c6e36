import type { Selectable } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { qualify, tableColumns } from "../database/table-columns.ts";
import type { UserStatus } from "../database/tables/user-tables.ts";
import type { Tables } from "../database/tables.ts";

/** Identifies an account of a chat platform. `teamId` is null on platforms without workspaces. */
export type ChatIdentity = { kind: string; teamId: string | null; accountId: string };

/** An account of a chat platform that belongs to a user. */
export type ChatAccountRecord = ChatIdentity & {
  id: string;
  userId: string;
  accountName: string | null;
  teamName: string | null;
  /** Epoch ms. */
  createdAt: number;
  /** The channel over which it was linked. Null if its row was deleted. */
  rowId: string | null;
};

/** Throws a conflict if the account belongs to a user already. */
export async function insertChatAccount(db: Db, account: ChatAccountRecord): Promise<void> {
  await toKysely(db)
    .insertInto("chat_accounts")
    .values({
      id: account.id,
      user_id: account.userId,
      ...toIdentityColumns(account),
      account_name: account.accountName,
      team_name: account.teamName,
      created_at: account.createdAt,
      row_id: account.rowId,
    })
    .execute();
}

/** The account, with the status of its user. */
export async function findChatAccount(
  db: Db,
  identity: ChatIdentity,
): Promise<(ChatAccountRecord & { status: UserStatus }) | null> {
  const { kind, team_id, account_id } = toIdentityColumns(identity);
  const found = await toKysely(db)
    .selectFrom("chat_accounts")
    .innerJoin("users", "users.id", "chat_accounts.user_id")
    .select(qualify("chat_accounts"))
    .select("users.status")
    .where("kind", "=", kind)
    .where("team_id", "=", team_id)
    .where("account_id", "=", account_id)
    .executeTakeFirst();
  return found === undefined ? null : { ...toChatAccount(found), status: found.status };
}

/** Oldest first. */
export async function listChatAccounts(db: Db, userId: string): Promise<ChatAccountRecord[]> {
  const accounts = await toKysely(db)
    .selectFrom("chat_accounts")
    .select(tableColumns.chat_accounts)
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return accounts.map(toChatAccount);
}

/** The channel over which a chat account was linked; null if it is not known. */
export async function findLinkedRow(db: Db, identity: ChatIdentity): Promise<string | null> {
  const { kind, team_id, account_id } = toIdentityColumns(identity);
  const found = await toKysely(db)
    .selectFrom("chat_accounts")
    .select("row_id")
    .where("kind", "=", kind)
    .where("team_id", "=", team_id)
    .where("account_id", "=", account_id)
    .executeTakeFirst();
  return found?.row_id ?? null;
}

export async function deleteChatAccount(db: Db, id: string): Promise<void> {
  await toKysely(db).deleteFrom("chat_accounts").where("id", "=", id).execute();
}

/** The columns of an identity. Null would not be equal to null in a unique key. */
export function toIdentityColumns({ kind, teamId, accountId }: ChatIdentity) {
  return { kind, team_id: teamId ?? "", account_id: accountId };
}

function toChatAccount(account: Selectable<Tables["chat_accounts"]>): ChatAccountRecord {
  return {
    id: account.id,
    userId: account.user_id,
    kind: account.kind,
    teamId: account.team_id === "" ? null : account.team_id,
    accountId: account.account_id,
    accountName: account.account_name,
    teamName: account.team_name,
    createdAt: account.created_at,
    rowId: account.row_id,
  };
}
