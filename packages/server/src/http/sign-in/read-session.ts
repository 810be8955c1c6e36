import { createMiddleware } from "hono/factory";
import type { Sessions } from "../../identity/browser-sessions.ts";
import type { AppEnv } from "../app-env.ts";
import { readSessionCookie } from "./session-cookie.ts";

export type SessionDeps = { baseUrl: string; sessions: Pick<Sessions, "find"> };

/** Reads the browser's session on every request. Requests without one are not refused. */
export function readSession(deps: SessionDeps) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const token = readSessionCookie(deps, ctx);
    ctx.set("session", token === null ? null : await deps.sessions.find(token));
    await next();
  });
}
