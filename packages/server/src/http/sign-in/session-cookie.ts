import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { sessionMsMax } from "../../identity/browser-sessions.ts";
import type { AppEnv } from "../app-env.ts";

/** The hub's address. With https, cookies are sent over https only. */
type CookieDeps = { baseUrl: string };

const name = "hub_session";

/** The session token that the browser sent; null if it sent none. */
export function readSessionCookie({ baseUrl }: CookieDeps, ctx: Context<AppEnv>): string | null {
  const { prefix } = toOptions(baseUrl);
  return getCookie(ctx, name, prefix) ?? null;
}

export function setSessionCookie({ baseUrl }: CookieDeps, ctx: Context<AppEnv>, token: string) {
  setCookie(ctx, name, token, { ...toOptions(baseUrl), maxAge: sessionMsMax / 1000 });
}

export function clearSessionCookie({ baseUrl }: CookieDeps, ctx: Context<AppEnv>) {
  deleteCookie(ctx, name, toOptions(baseUrl));
}

/**
 * Scripts cannot read the cookie, forms of other sites do not carry it, and over https other hosts of
 * the domain cannot set it (prefix `__Host-`).
 */
export function toOptions(baseUrl: string): CookieOptions & { prefix?: "host" } {
  const isSecure = baseUrl.startsWith("https:");
  return {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure,
    ...(isSecure && { prefix: "host" as const }),
  };
}
