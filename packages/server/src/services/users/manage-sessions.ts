import type { Session } from "@hub/contract/session.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { idleMsMax, isSessionOver } from "../../identity/browser-sessions.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { transaction } from "../../store/database/database.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import {
  deleteSession,
  deleteSessionsOf,
  findSessionById,
  listSessionPage as listStoredSessionPage,
  listSessions as listStoredSessions,
  type SessionRecord,
} from "../../store/users/sessions-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";

type SessionDeps = Pick<ServiceDeps, "store" | "now">;

/** The sessions of one user or of all users, newest first. */
export async function listSessions(
  { store, now }: SessionDeps,
  filter: { userId?: string | undefined } = {},
): Promise<Session[]> {
  const { userId } = filter;
  if (userId !== undefined) await loadUser(store.db, userId);
  const at = now();
  const sessions = (
    await listStoredSessions(store.db, userId === undefined ? {} : { userId })
  ).filter((session) => !isSessionOver(session, at));
  const emails = await findEmails(
    store.db,
    sessions.map((one) => one.userId),
  );
  return sessions.map((session) => toSession(session, emails.get(session.userId) ?? ""));
}

/** One page of the sessions of one user or of all users, newest first. */
export async function listSessionPage(
  { store, now }: SessionDeps,
  { userId, ...page }: PageInput & { userId?: string | undefined } = {},
): Promise<Page<Session>> {
  if (userId !== undefined) await loadUser(store.db, userId);
  const at = now();
  const { items, next } = await readPage(page, {
    keyType: "number",
    read: (after, limit) =>
      listStoredSessionPage(store.db, {
        userId,
        expiredBefore: at,
        idleSince: at - idleMsMax,
        limit,
        after: after && { createdAt: Number(after.key), id: after.id },
      }),
    toCursor: ({ createdAt, id }) => ({ key: createdAt, id }),
  });
  const emails = await findEmails(
    store.db,
    items.map((one) => one.userId),
  );
  return { items: items.map((one) => toSession(one, emails.get(one.userId) ?? "")), next };
}

/**
 * Ends a session: every process refuses its next request. Throws `not_found` if it does not exist.
 * With `of`, only for a session of this user.
 */
export async function endSession(
  { store, now }: SessionDeps,
  actor: Actor,
  sessionId: string,
  { of }: { of?: string } = {},
): Promise<{ id: string }> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const session = await findSessionById(trx, sessionId.toLowerCase());
    const isMissing = session === null || isSessionOver(session, stamp.changedAt);
    if (isMissing || (of !== undefined && session.userId !== of)) {
      throw new HubError("not_found", "There is no such session.");
    }
    const { id, userId } = session;
    const { email } = await loadUser(trx, userId);
    await deleteSession(trx, id);
    await recordChange(trx, stamp, { action: "session.end", kind: "session", id, name: email });
    return { id };
  });
}

/** Ends all of a user's sessions except `except`; returns their number. */
export async function endAllSessions(
  { store, now }: SessionDeps,
  actor: Actor,
  userId: string,
  options: { except?: string } = {},
): Promise<{ ended: number }> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, email } = await loadUser(trx, userId);
    const ended = await deleteSessionsOf(trx, id, options);
    const change = { action: "session.end_all", kind: "user", id, name: email } as const;
    await recordChange(trx, stamp, { ...change, detail: { ended } });
    return { ended };
  });
}

function toSession(session: SessionRecord, user: string): Session {
  return {
    id: session.id,
    user,
    created_at: toTimeText(session.createdAt),
    last_seen_at: toTimeText(session.lastSeenAt),
    expires_at: toTimeText(session.expiresAt),
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
  };
}
