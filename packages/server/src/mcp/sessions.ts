import type { Timers } from "../lib/timers.ts";

export const sessionHeader = "mcp-session-id";

/** What becomes of ids that this process did not hand out. */
export type SessionIdPolicy = "adopt" | "strict";

/** A session as one request meets it. */
export type EnteredSession = {
  /** Names the session among its user's, whichever id the client uses for it. */
  key: string;
  /** To be handed out with the response, where the client came with an id of another process. */
  freshId: string | null;
};

export type Sessions = {
  /** Starts a session and returns its id. */
  mint(userId: string): string;
  /** Null when the id names no session that this user may go on with. */
  enter(userId: string, id: string): EnteredSession | null;
  /** Ends a session for good. False when there is none to end. */
  end(userId: string, id: string): boolean;
};

type Session = { id: string; hasEnded: boolean; usedAtMs: number };

const idLengthMax = 128;
const idleMsMax = 24 * 60 * 60 * 1000;

/**
 * Session ids are markers, kept in memory only: the bearer token says who calls. They belong to a
 * user rather than to a token, which may be refreshed. Each user has room for `perUserMax`; the
 * longest unused give way, so that nobody can crowd out another user's.
 */
export function createSessions(deps: {
  mode: SessionIdPolicy;
  timers: Pick<Timers, "now">;
  createId?: () => string;
  perUserMax?: number;
}): Sessions {
  const { mode, timers, createId = () => crypto.randomUUID(), perUserMax = 1000 } = deps;
  /** Per user, by the ids the client may use; longest unused first. */
  const sessionsOf: Map<string, Map<string, Session>> = new Map();
  const ownerOf: Map<string, string> = new Map();

  function touch(userId: string, id: string, session: Session): void {
    const own = sessionsOf.get(userId) ?? new Map<string, Session>();
    sessionsOf.set(userId, own);
    session.usedAtMs = timers.now();
    own.delete(id);
    own.set(id, session);
    for (const oldId of own.keys()) {
      if (own.size <= perUserMax) break;
      own.delete(oldId);
      ownerOf.delete(oldId);
    }
  }

  function find(userId: string, id: string): Session | null {
    const session = sessionsOf.get(userId)?.get(id) ?? null;
    const isStale = session !== null && timers.now() - session.usedAtMs > idleMsMax;
    return isStale ? null : session;
  }

  function start(userId: string): Session {
    const session = { id: createId(), hasEnded: false, usedAtMs: timers.now() };
    ownerOf.set(session.id, userId);
    touch(userId, session.id, session);
    return session;
  }

  /** A session for an id that another process handed out; from now on both ids mean it. */
  function adopt(userId: string, id: string): Session | null {
    const isAnothers = ownerOf.has(id) && ownerOf.get(id) !== userId;
    if (mode === "strict" || isAnothers || !isPossibleId(id)) return null;
    return start(userId);
  }

  function enterSession(userId: string, id: string): Session | null {
    const session = find(userId, id) ?? adopt(userId, id);
    if (session === null) return null;
    touch(userId, id, session);
    return session.hasEnded ? null : session;
  }

  return {
    mint: (userId) => start(userId).id,
    enter(userId, id) {
      const session = enterSession(userId, id);
      if (session === null) return null;
      return { key: session.id, freshId: session.id === id ? null : session.id };
    },
    end(userId, id) {
      const session = enterSession(userId, id);
      if (session !== null) session.hasEnded = true;
      return session !== null;
    },
  };
}

/** Visible ASCII, as MCP demands; a length no server would choose is kept out of memory. */
function isPossibleId(id: string): boolean {
  return id.length <= idLengthMax && /^[\x21-\x7e]+$/.test(id);
}
