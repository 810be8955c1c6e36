import type { Context } from "hono";
import { toCaller } from "../../identity/to-caller.ts";
import type { AppEnv } from "../app-env.ts";
import { findDetour } from "../need-session.ts";
import type { SessionDeps } from "../read-session.ts";
import { readSessionCookie } from "../session-cookie.ts";
import type { ApiSession } from "./api-caller.ts";

/**
 * Finds whom a browser's session belongs to. Null for who would not get to a page either: who has to
 * wait, or to change a one-time password first.
 */
export function findApiSession(deps: SessionDeps) {
  return async (ctx: Context<AppEnv>): Promise<ApiSession | null> => {
    const token = readSessionCookie(deps, ctx);
    const session = token === null ? null : await deps.sessions.find(token);
    if (session === null || findDetour(session) !== null) return null;
    const caller = toCaller({ ...session.user, userId: session.user.id }, null);
    return { caller, sessionId: session.sessionId, csrfToken: session.csrfToken };
  };
}
