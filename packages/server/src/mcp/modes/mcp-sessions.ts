import type { Timers } from "../../lib/time/timers.ts";
import type { ClientTold } from "../../operations/operations.ts";

export const sessionHeader = "mcp-session-id";

/** What to do with session ids that this process did not issue. */
export type SessionIdPolicy = "adopt" | "strict";

/** The session of one request. */
export type EnteredSession = {
  /** Identifies the session among its user's sessions, whichever id the client uses for it. */
  key: string;
  /** The id to return with the response if the client sent an id of another process. */
  newId: string | null;
  /** What the client declared when the session began. Null for a session that another process began. */
  client: ClientTold | null;
};

export type Sessions = {
  /** Starts a session and returns its id. */
  mint(userId: string, client?: ClientTold | null): string;
  /** Null if this user cannot use a session with this id. */
  enter(userId: string, id: string): EnteredSession | null;
  /** Ends a session permanently, and returns it. Null if there is no such session. */
  end(userId: string, id: string): Pick<EnteredSession, "key"> | null;
};

type Session = {
  id: string;
  client: ClientTold | null;
  hasEnded: boolean;
  usedAtMs: number;
};

const idLengthMax = 128;
const idleMsMax = 24 * 60 * 60 * 1000;

/**
 * Session ids are protocol markers, kept in memory only: the bearer token identifies the caller. They
 * belong to a user, not to a token, because tokens are refreshed. Each user may have `perUserMax`;
 * beyond that the longest unused are dropped, so that one user cannot displace another's.
 */
export function createSessions(deps: {
  mode: SessionIdPolicy;
  /** Whether an adopted session keeps its id, so that all servers know it by the same one. */
  keepsIds?: boolean;
  timers: Pick<Timers, "now">;
  createId?: () => string;
  perUserMax?: number;
}): Sessions {
  const { mode, keepsIds = false, timers, perUserMax = 1000 } = deps;
  const { createId = () => crypto.randomUUID() } = deps;
  /** Sessions of each user by the ids that the client may use; users and their sessions longest unused first. */
  const sessionsOf: Map<string, Map<string, Session>> = new Map();
  const ownerOf: Map<string, string> = new Map();

  function touch(userId: string, id: string, session: Session): void {
    const own = sessionsOf.get(userId) ?? new Map<string, Session>();
    sessionsOf.delete(userId);
    sessionsOf.set(userId, own);
    session.usedAtMs = timers.now();
    own.delete(id);
    own.set(id, session);
    for (const [oldId, old] of own) {
      if (own.size <= perUserMax && !isStale(old)) break;
      own.delete(oldId);
      ownerOf.delete(oldId);
    }
    dropUnusedUser();
  }

  /** Forgets the stale sessions of the user who used none for longest, so that former users leave nothing. */
  function dropUnusedUser(): void {
    for (const [userId, own] of sessionsOf) {
      for (const [id, session] of own) {
        if (!isStale(session)) return;
        own.delete(id);
        ownerOf.delete(id);
      }
      sessionsOf.delete(userId);
      return;
    }
  }

  function isStale({ usedAtMs }: Session): boolean {
    return timers.now() - usedAtMs > idleMsMax;
  }

  function find(userId: string, id: string): Session | null {
    const session = sessionsOf.get(userId)?.get(id) ?? null;
    return session === null || isStale(session) ? null : session;
  }

  function start(userId: string, client: ClientTold | null): Session {
    const session = { id: createId(), client, hasEnded: false, usedAtMs: timers.now() };
    ownerOf.set(session.id, userId);
    touch(userId, session.id, session);
    return session;
  }

  /**
   * Starts a session for an id that another process issued. If it gets its own id, both name it. An
   * id that is kept has no owner here, so that the first to send it cannot take it from its user.
   */
  function adopt(userId: string, id: string): Session | null {
    const isAnothers = ownerOf.has(id) && ownerOf.get(id) !== userId;
    if (mode === "strict" || isAnothers || !isPossibleId(id)) return null;
    if (!keepsIds) return start(userId, null);
    return { id, client: null, hasEnded: false, usedAtMs: timers.now() };
  }

  function enterSession(userId: string, id: string): Session | null {
    const session = find(userId, id) ?? adopt(userId, id);
    if (session === null) return null;
    touch(userId, id, session);
    return session.hasEnded ? null : session;
  }

  return {
    mint: (userId, client = null) => start(userId, client).id,
    enter(userId, id) {
      const session = enterSession(userId, id);
      if (session === null) return null;
      const { client } = session;
      return { key: session.id, newId: session.id === id ? null : session.id, client };
    },
    end(userId, id) {
      const session = enterSession(userId, id);
      if (session === null) return null;
      session.hasEnded = true;
      return { key: session.id };
    },
  };
}

/** Visible ASCII, as MCP requires. The length is bounded because ids are kept in memory. */
function isPossibleId(id: string): boolean {
  return id.length <= idLengthMax && /^[\x21-\x7e]+$/.test(id);
}
