import { createHmac, randomBytes } from "node:crypto";
import { HubError } from "../errors.ts";
import type { Db, Transaction } from "../store/database/database.ts";
import { findPassword } from "../store/users/passwords-table.ts";
import {
  deleteSession,
  findSession,
  insertSession,
  listSessions,
  renewSession,
  type SessionRecord,
  touchSession,
  trimSessionsOf,
} from "../store/users/sessions-table.ts";
import { findUserById, type User } from "../store/users/users-table.ts";
import { hashToken } from "./authenticate-bearer.ts";

const dayMs = 86_400_000;
/** Maximum lifetime of a session after sign-in, even if it is used. */
export const sessionMsMax = 30 * dayMs;
/** A session also ends after this time without use. */
export const idleMsMax = 7 * dayMs;
/** Maximum for one user. Above it, the least recently used session ends. */
const sessionsMax = 100;
/** The shortest time between two updates of "last seen", so that most pages cost no write. */
const seenEveryMs = 60_000;

const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The user of a browser's cookie, as currently stored. */
export type SignedIn = {
  sessionId: string;
  /** The CSRF token: forms and changes of this session must carry it. */
  csrfToken: string;
  /** Active or pending. A pending user sees only the page that says to wait. */
  user: User;
  /** The password is a one-time password: it must be changed before anything else. */
  mustChangePassword: boolean;
  /** When the user last proved who they are, epoch ms. */
  freshAt: number;
  /** False for a user who signs in only at a provider. */
  hasPassword: boolean;
  /** Whether the session began with a sign-in at the provider. */
  isFromProvider?: boolean;
};

/** `freshAt`: when the user proved who they are, epoch ms. The default is now. */
type Proof = { freshAt?: number };

export type NewSession = {
  id: string;
  /** The cookie's value, which is not stored. */
  token: string;
  /** Called in the transaction that checks the sign-in, so that no change comes between the two. */
  begin(trx: Transaction, userId: string, proof?: Proof): Promise<void>;
};

/** A new token for a session whose user has proved again who they are. */
export type RenewedSession = {
  token: string;
  /** Called in the transaction that checks the proof. False if the session has ended. */
  renew(trx: Transaction): Promise<boolean>;
};

/** The one place where sessions begin: a service user has none, by no way of signing in. */
async function refuseServiceUser(trx: Transaction, userId: string): Promise<void> {
  if ((await findUserById(trx, userId))?.kind !== "service") return;
  throw new HubError("forbidden", "A service user cannot sign in. Sign in as a person.");
}

export type Sessions = ReturnType<typeof createSessions>;

/** Signed-in browsers, read from the database on every request. */
export function createSessions({ db, now }: { db: Db; now: () => number }) {
  return {
    /** Makes a session, which begins when `begin` stores it. */
    prepare(
      { ipAddress, userAgent }: { ipAddress: string | null; userAgent: string | null },
      /** The provider's name of its session: "" if it has none, null for a local sign-in. */
      providerSid: string | null = null,
    ): NewSession {
      const id = crypto.randomUUID();
      const token = randomBytes(32).toString("base64url");
      const tokenHash = hashToken(token);
      const at = now();
      const times = { createdAt: at, lastSeenAt: at, expiresAt: at + sessionMsMax };
      return {
        id,
        token,
        async begin(trx, userId, { freshAt = at } = {}) {
          await refuseServiceUser(trx, userId);
          // A user who signs in endlessly must not fill the table or the list of all sessions.
          await trimSessionsOf(trx, { userId, kept: sessionsMax - 1 });
          const visitor = { ipAddress, userAgent, providerSid };
          await insertSession(trx, { id, userId, ...visitor, ...times, tokenHash, freshAt });
        },
      };
    },

    /** Makes another token for a session, which counts when `renew` stores it. Copies of the one before open nothing then. */
    prepareRenewal(id: string): RenewedSession {
      const token = randomBytes(32).toString("base64url");
      const renewed = { id, tokenHash: hashToken(token), freshAt: now() };
      return { token, renew: (trx) => renewSession(trx, renewed) };
    },

    /** Null for an ended or unknown session, and for a disabled or deleted user. */
    async find(token: string): Promise<SignedIn | null> {
      if (!tokenPattern.test(token)) return null;
      const session = await findSession(db, hashToken(token));
      if (session === null || isSessionOver(session, now())) return null;
      const user = await findUserById(db, session.userId);
      const password = await findPassword(db, session.userId);
      if (user === null || password === null || user.status === "disabled") return null;
      if (session.lastSeenAt + seenEveryMs <= now()) await touchSession(db, session.id, now());
      return {
        sessionId: session.id,
        csrfToken: toCsrfToken(token),
        user,
        mustChangePassword: password.mustChange,
        freshAt: session.freshAt,
        hasPassword: password.hash !== null,
        isFromProvider: session.providerSid !== null,
      };
    },

    end: (id: string): Promise<boolean> => deleteSession(db, id),

    /** Newest first. */
    async listOf(userId: string): Promise<SessionRecord[]> {
      return (await listSessions(db, { userId })).filter(
        (session) => !isSessionOver(session, now()),
      );
    },
  };
}

/** Whether a session has expired or was unused for too long. */
export function isSessionOver(
  { expiresAt, lastSeenAt }: Pick<SessionRecord, "expiresAt" | "lastSeenAt">,
  at: number,
): boolean {
  return expiresAt <= at || lastSeenAt + idleMsMax <= at;
}

/** Derived from the cookie, so that it need not be stored. It does not reveal the cookie. */
function toCsrfToken(token: string): string {
  return createHmac("sha256", token).update("hub-csrf-v1").digest("base64url");
}
