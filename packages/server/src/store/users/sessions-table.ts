import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** A signed-in browser. Times are epoch ms. */
export type SessionRecord = {
  id: string;
  userId: string;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  ipAddress: string | null;
  userAgent: string | null;
  /** When the user last proved who they are. */
  freshAt: number;
};

/** A session, with the provider's name of its session there: "" if it has none, null for a local sign-in. */
export type SessionFromProvider = SessionRecord & { providerSid: string | null };

export async function insertSession(
  db: Db,
  session: Omit<SessionRecord, "freshAt"> & {
    freshAt?: number;
    tokenHash: Uint8Array;
    providerSid?: string | null;
  },
): Promise<void> {
  await toKysely(db)
    .insertInto("sessions")
    .values({
      id: session.id,
      user_id: session.userId,
      token_hash: session.tokenHash,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
      ip_address: session.ipAddress,
      user_agent: session.userAgent,
      provider_sid: session.providerSid ?? null,
      fresh_at: session.freshAt ?? null,
    })
    .execute();
}

export async function findSession(
  db: Db,
  tokenHash: Uint8Array,
): Promise<SessionFromProvider | null> {
  const session = await toKysely(db)
    .selectFrom("sessions")
    .select(tableColumns.sessions)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  if (session === undefined) return null;
  return { ...toSession(session), providerSid: session.provider_sid };
}

export async function findSessionById(db: Db, id: string): Promise<SessionRecord | null> {
  const session = await toKysely(db)
    .selectFrom("sessions")
    .select(tableColumns.sessions)
    .where("id", "=", id)
    .executeTakeFirst();
  return session === undefined ? null : toSession(session);
}

/** Newest first. */
export async function listSessions(
  db: Db,
  filter: { userId?: string } = {},
): Promise<SessionRecord[]> {
  let query = toKysely(db)
    .selectFrom("sessions")
    .select(tableColumns.sessions)
    .orderBy("created_at", "desc")
    .orderBy("id");
  if (filter.userId !== undefined) query = query.where("user_id", "=", filter.userId);
  return (await query.execute()).map(toSession);
}

/** One page of the sessions that can be used, newest first. */
export async function listSessionPage(
  db: Db,
  {
    userId,
    expiredBefore,
    idleSince,
    after,
    limit,
  }: {
    userId?: string | undefined;
    expiredBefore: number;
    idleSince: number;
    /** Only sessions after this one, in the order of the list. */
    after?: { createdAt: number; id: string } | undefined;
    limit: number;
  },
): Promise<SessionRecord[]> {
  let query = toKysely(db)
    .selectFrom("sessions")
    .select(tableColumns.sessions)
    .where("expires_at", ">", expiredBefore)
    .where("last_seen_at", ">", idleSince)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(created_at, id) < (${sql.val(after.createdAt)}, ${sql.val(after.id)})`,
    );
  }
  return (await query.execute()).map(toSession);
}

export async function touchSession(db: Db, id: string, lastSeenAt: number): Promise<void> {
  await toKysely(db)
    .updateTable("sessions")
    .set({ last_seen_at: lastSeenAt })
    .where("id", "=", id)
    .execute();
}

/**
 * Gives a session another token, so that copies of the one before open nothing, and records when its user proved who they are.
 * False if the session does not exist.
 */
export async function renewSession(
  db: Db,
  { id, tokenHash, freshAt }: Pick<SessionRecord, "id" | "freshAt"> & { tokenHash: Uint8Array },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("sessions")
    .set({ token_hash: tokenHash, fresh_at: freshAt, last_seen_at: freshAt })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if the session does not exist. */
export async function deleteSession(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("sessions")
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes a user's sessions except one; returns their number. */
export async function deleteSessionsOf(
  db: Db,
  userId: string,
  { except }: { except?: string } = {},
): Promise<number> {
  let query = toKysely(db).deleteFrom("sessions").where("user_id", "=", userId);
  if (except !== undefined) query = query.where("id", "<>", except);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Deletes the sessions that began at the provider: those of a session there, of a user, or both. Returns their number. */
export async function deleteProviderSessions(
  db: Db,
  { userId, sid }: { userId: string; sid: string | null } | { userId: null; sid: string },
): Promise<number> {
  let query = toKysely(db).deleteFrom("sessions").where("provider_sid", "is not", null);
  if (userId !== null) query = query.where("user_id", "=", userId);
  if (sid !== null) query = query.where("provider_sid", "=", sid);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Deletes a user's sessions except the `kept` most recently used. */
export async function trimSessionsOf(
  db: Db,
  { userId, kept }: { userId: string; kept: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "not in", (sessions) =>
      sessions
        .selectFrom("sessions")
        .select("id")
        .where("user_id", "=", userId)
        .orderBy("last_seen_at", "desc")
        .orderBy("created_at", "desc")
        .orderBy("id")
        .limit(kept),
    )
    .execute();
}

/** Deletes sessions that can no longer be used. */
export async function purgeSessions(
  db: Db,
  bounds: { expiredBefore: number; idleSince: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("sessions")
    .where((session) =>
      session.or([
        session("expires_at", "<=", bounds.expiredBefore),
        session("last_seen_at", "<=", bounds.idleSince),
      ]),
    )
    .execute();
}

function toSession(session: Tables["sessions"]): SessionRecord {
  return {
    id: session.id,
    userId: session.user_id,
    createdAt: session.created_at,
    lastSeenAt: session.last_seen_at,
    expiresAt: session.expires_at,
    ipAddress: session.ip_address,
    userAgent: session.user_agent,
    freshAt: session.fresh_at ?? session.created_at,
  };
}
