import { createHmac, randomBytes } from "node:crypto";
import { findPassword } from "../store/passwords.ts";
import {
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  listSessions,
  type SessionRecord,
  touchSession,
  trimSessionsOf,
} from "../store/sessions.ts";
import type { Db } from "../store/tables.ts";
import { findUserById, type User } from "../store/users.ts";
import { hashToken } from "./authenticate-bearer.ts";

const dayMs = 86_400_000;
/** A session ends so long after sign-in, however much it is used. */
export const sessionMsMax = 30 * dayMs;
/** It ends earlier when it is not used for so long. */
export const idleMsMax = 7 * dayMs;
/** So many of one user; past them, the one that was not used for longest ends. */
const sessionsMax = 100;
/** When it was last seen is noted no more often, so that a page costs no write. */
const seenEveryMs = 60_000;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** Who a browser's cookie stands for, as they are now. */
export type SignedIn = {
  sessionId: string;
  /** What forms and changes of this session have to carry; nobody else can know it. */
  csrfToken: string;
  /** Active or pending; a pending one sees nothing but that. */
  user: User;
  /** The password is a one-time one: nothing works before it is changed. */
  mustChangePassword: boolean;
  /** False for who signs in at a provider alone. */
  hasPassword: boolean;
};

export type Sessions = ReturnType<typeof createSessions>;

/** Signed-in browsers, read from the database on every request. */
export function createSessions({ db, now }: { db: Db; now: () => number }) {
  return {
    /** Begins a session; `token` is the cookie's value, and kept nowhere. */
    async open(given: {
      userId: string;
      ipAddress: string | null;
      userAgent: string | null;
    }): Promise<{ id: string; token: string }> {
      const id = crypto.randomUUID();
      const token = randomBytes(32).toString("base64url");
      const at = now();
      const times = { createdAt: at, lastSeenAt: at, expiresAt: at + sessionMsMax };
      // Who signs in without end must fill no table, and no list of everybody's sessions.
      await trimSessionsOf(db, { userId: given.userId, kept: sessionsMax - 1 });
      await insertSession(db, { id, ...given, ...times, tokenHash: hashToken(token) });
      return { id, token };
    },

    /** Null for a session that is over or unknown, and for a user who is disabled or gone. */
    async find(token: string): Promise<SignedIn | null> {
      if (!tokenPattern.test(token)) return null;
      const session = await findSession(db, hashToken(token));
      if (session === null || isSessionOver(session, now())) return null;
      const user = await findUserById(db, session.userId);
      if (user === null || user.status === "disabled") return null;
      if (session.lastSeenAt + seenEveryMs <= now()) await touchSession(db, session.id, now());
      const password = await findPassword(db, user.id);
      return {
        sessionId: session.id,
        csrfToken: toCsrfToken(token),
        user,
        mustChangePassword: password?.mustChange ?? false,
        hasPassword: (password?.hash ?? null) !== null,
      };
    },

    end: (id: string): Promise<boolean> => deleteSession(db, id),

    endAllOf: (userId: string, options: { except?: string } = {}): Promise<number> =>
      deleteSessionsOf(db, userId, options),

    /** Newest first. */
    async listOf(userId: string): Promise<SessionRecord[]> {
      return (await listSessions(db, { userId })).filter(
        (session) => !isSessionOver(session, now()),
      );
    },
  };
}

/** A session ends at its time, or earlier when it is not used. */
export function isSessionOver(
  { expiresAt, lastSeenAt }: Pick<SessionRecord, "expiresAt" | "lastSeenAt">,
  at: number,
): boolean {
  return expiresAt <= at || lastSeenAt + idleMsMax <= at;
}

/** Made from the cookie, so that nothing more has to be stored, and useless to find the cookie. */
function toCsrfToken(token: string): string {
  return createHmac("sha256", token).update("hub-csrf-v1").digest("base64url");
}
