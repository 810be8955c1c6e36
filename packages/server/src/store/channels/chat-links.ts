import { sql } from "kysely";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { type ChatIdentity, toIdentityColumns } from "./chat-accounts-table.ts";

/** A link that a user has begun. Times are epoch ms. */
export type ChatLinkRecord = {
  id: string;
  userId: string;
  sessionId: string;
  expiresAt: number;
  /** The account that sent the code; null before. */
  claimant: ChatClaimant | null;
  /** Whether that account has answered yes. */
  isConfirmed: boolean;
};

export type ChatClaimant = ChatIdentity & {
  /** The channel over which the code came. */
  rowId: string;
  accountName: string | null;
  teamName: string | null;
};

export type NewChatLink = Pick<ChatLinkRecord, "id" | "userId" | "sessionId" | "expiresAt"> & {
  codeHash: Uint8Array;
};

/** Begins a link in the place of the user's former one. Deletes what has expired by `at`. */
export async function insertChatLink(db: Db, link: NewChatLink, at: number): Promise<void> {
  await transaction(db, async (trx) => {
    const kysely = toKysely(trx);
    await kysely.deleteFrom("chat_links").where("expires_at", "<=", at).execute();
    await kysely.deleteFrom("chat_link_tries").where("expires_at", "<=", at).execute();
    await kysely.deleteFrom("chat_links").where("user_id", "=", link.userId).execute();
    await kysely
      .insertInto("chat_links")
      .values({
        id: link.id,
        user_id: link.userId,
        session_id: link.sessionId,
        code_hash: link.codeHash,
        expires_at: link.expiresAt,
      })
      .execute();
  });
}

/** The valid link with this code, with its user's status and e-mail. */
export async function findChatLinkByCode(
  db: Db,
  { codeHash, at }: { codeHash: Uint8Array; at: number },
) {
  const found = await selectLinks(db)
    .innerJoin("users", "users.id", "chat_links.user_id")
    .select(["users.email", "users.status"])
    .where("code_hash", "=", codeHash)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  if (found === undefined) return null;
  return { ...toChatLink(found), email: found.email, status: found.status };
}

/** The valid link that the account has claimed over this channel. */
export async function findClaimedLink(
  db: Db,
  { at, rowId, ...identity }: ChatIdentity & { rowId: string; at: number },
): Promise<ChatLinkRecord | null> {
  const { kind, team_id, account_id } = toIdentityColumns(identity);
  const found = await selectLinks(db)
    .where("kind", "=", kind)
    .where("team_id", "=", team_id)
    .where("account_id", "=", account_id)
    .where("row_id", "=", rowId)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  return found === undefined ? null : toChatLink(found);
}

/** The valid link of a user that began in this session. */
export async function findChatLinkOf(
  db: Db,
  { userId, sessionId, at }: { userId: string; sessionId: string; at: number },
): Promise<ChatLinkRecord | null> {
  const found = await selectLinks(db)
    .where("user_id", "=", userId)
    .where("session_id", "=", sessionId)
    .where("expires_at", ">", at)
    .executeTakeFirst();
  return found === undefined ? null : toChatLink(found);
}

/** Records the account that sent the code. It gives up the other links that it has claimed. */
export async function claimChatLink(db: Db, id: string, claimant: ChatClaimant): Promise<void> {
  const columns = toIdentityColumns(claimant);
  const { kind, team_id, account_id } = columns;
  const { rowId: row_id, accountName: account_name, teamName: team_name } = claimant;
  await transaction(db, async (trx) => {
    await toKysely(trx)
      .deleteFrom("chat_links")
      .where("kind", "=", kind)
      .where("team_id", "=", team_id)
      .where("account_id", "=", account_id)
      .where("id", "!=", id)
      .execute();
    await toKysely(trx)
      .updateTable("chat_links")
      .set({ ...columns, row_id, account_name, team_name })
      .where("id", "=", id)
      .execute();
  });
}

export async function confirmChatLink(db: Db, id: string): Promise<void> {
  await toKysely(db)
    .updateTable("chat_links")
    .set({ is_confirmed: 1 })
    .where("id", "=", id)
    .execute();
}

export async function deleteChatLink(db: Db, id: string): Promise<void> {
  await toKysely(db).deleteFrom("chat_links").where("id", "=", id).execute();
}

/** The valid counts of tries with these keys. */
export async function findLinkTries(
  db: Db,
  { keys, at }: { keys: readonly string[]; at: number },
): Promise<Map<string, number>> {
  const found = await toKysely(db)
    .selectFrom("chat_link_tries")
    .select(["key", "tries"])
    .where("key", "in", keys)
    .where("expires_at", ">", at)
    .execute();
  return new Map(found.map(({ key, tries }) => [key, tries]));
}

/** Counts one more try. A count that has expired begins again and lasts until `expiresAt`. */
export async function countLinkTry(
  db: Db,
  { key, at, expiresAt }: { key: string; at: number; expiresAt: number },
): Promise<void> {
  const isOver = sql<boolean>`chat_link_tries.expires_at <= ${at}`;
  await toKysely(db)
    .insertInto("chat_link_tries")
    .values({ key, tries: 1, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.column("key").doUpdateSet({
        tries: sql<number>`case when ${isOver} then 1 else chat_link_tries.tries + 1 end`,
        expires_at: sql<number>`case when ${isOver} then excluded.expires_at else chat_link_tries.expires_at end`,
      }),
    )
    .execute();
}

function selectLinks(db: Db) {
  return toKysely(db)
    .selectFrom("chat_links")
    .select([
      "chat_links.id",
      "chat_links.user_id",
      "session_id",
      "expires_at",
      "row_id",
      "kind",
      "team_id",
      "account_id",
      "account_name",
      "team_name",
      "is_confirmed",
    ]);
}

type StoredLink = Awaited<ReturnType<ReturnType<typeof selectLinks>["executeTakeFirstOrThrow"]>>;

function toChatLink(link: StoredLink): ChatLinkRecord {
  const { kind, team_id: teamId, account_id: accountId, row_id: rowId } = link;
  const isClaimed = kind !== null && accountId !== null && rowId !== null;
  return {
    id: link.id,
    userId: link.user_id,
    sessionId: link.session_id,
    expiresAt: link.expires_at,
    claimant: isClaimed
      ? {
          kind,
          accountId,
          rowId,
          teamId: teamId === "" ? null : teamId,
          accountName: link.account_name,
          teamName: link.team_name,
        }
      : null,
    isConfirmed: link.is_confirmed === 1,
  };
}
