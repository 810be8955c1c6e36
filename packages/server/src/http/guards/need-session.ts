import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Actor } from "../../changes/actor.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { isActive } from "../../identity/to-caller.ts";
import type { AppEnv } from "../app-env.ts";
import { findClientIp } from "../clients/find-client.ts";
import { toDestination, withDestination } from "../sign-in/destination.ts";

/**
 * Shows a page only to active users who are signed in. Others are redirected to sign-in, to the
 * change of a one-time password, or to the page for pending users, with this page as the destination.
 */
export const needSession = createMiddleware<AppEnv>(async (ctx, next) => {
  const first = findDetour(ctx.get("session"));
  if (first === null) return await next();
  return ctx.redirect(withDestination(first, findDestination(ctx)), 303);
});

/** The page that this session must visit first; null if there is none. */
export function findDetour(session: SignedIn | null): string | null {
  if (session === null) return "/auth/login";
  if (!isActive(session.user)) return "/auth/pending";
  return session.mustChangePassword ? "/auth/password" : null;
}

/** A form cannot be sent again after sign-in, so the destination is its page. */
function findDestination(ctx: Context<AppEnv>): string {
  const { pathname, search } = new URL(ctx.req.url);
  return toDestination(ctx.req.method === "GET" ? `${pathname}${search}` : pathname);
}

/** The session of a page behind `needSession`. */
export function getSignedIn(ctx: Context<AppEnv>): SignedIn {
  const session = ctx.get("session");
  if (session === null) throw new Error("This page is served without needSession");
  return session;
}

/** The signed-in user as the author of changes. */
export function toActor(ctx: Context<AppEnv>): Actor {
  const { user, freshAt } = getSignedIn(ctx);
  const { id: userId, email } = user;
  return { userId, email, tokenId: null, via: "session", ip: findClientIp(ctx), freshAt };
}
