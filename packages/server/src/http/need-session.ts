import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { SignedIn } from "../identity/sessions.ts";
import { isActive } from "../identity/to-caller.ts";
import type { AppEnv } from "./app-env.ts";
import { toDestination, withDestination } from "./destination.ts";

/**
 * Lets a page be seen by active users who are signed in. Others go where they have to go first:
 * to sign in, to change a one-time password, or to be told that they have to wait. What they wanted
 * to see is remembered.
 */
export const needSession = createMiddleware<AppEnv>(async (ctx, next) => {
  const first = findDetour(ctx.get("session"));
  if (first === null) return await next();
  return ctx.redirect(withDestination(first, toWanted(ctx)), 303);
});

/** Where somebody has to go before any page; null for who may go on. */
export function findDetour(session: SignedIn | null): string | null {
  if (session === null) return "/auth/login";
  if (!isActive(session.user)) return "/auth/pending";
  return session.mustChangePassword ? "/auth/password" : null;
}

/** A form cannot be sent again after sign-in: its page is what comes back. */
function toWanted(ctx: Context<AppEnv>): string {
  const { pathname, search } = new URL(ctx.req.url);
  return toDestination(ctx.req.method === "GET" ? `${pathname}${search}` : pathname);
}

/** Who is signed in, on a page behind `needSession`. */
export function getSignedIn(ctx: Context<AppEnv>): SignedIn {
  const session = ctx.get("session");
  if (session === null) throw new Error("This page is served without needSession");
  return session;
}
