import type { Context } from "hono";
import { toCaller } from "../../identity/to-caller.ts";
import type { AppEnv } from "../app-env.ts";
import { findDetour } from "../guards/need-session.ts";
import type { SessionDeps } from "../sign-in/read-session.ts";
import { readSessionCookie } from "../sign-in/session-cookie.ts";
import type { ApiSession } from "./api-caller.ts";

/**
 * Finds the user of a browser's session. Null for users who cannot open a page either: those who are
 * pending or must change a one-time password first.
 */
export function findApiSession(deps: SessionDeps) {
  return async (ctx: Context<AppEnv>): Promise<ApiSession | null> => {
    const token = readSessionCookie(deps, ctx);
    const session = token === null ? null : await deps.sessions.find(token);
    if (session === null || findDetour(session) !== null) return null;
    const caller = toCaller({ ...session.user, userId: session.user.id }, null, "session");
    const { sessionId, csrfToken, freshAt } = session;
    return { caller, sessionId, csrfToken, freshAt };
  };
}
