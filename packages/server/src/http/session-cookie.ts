import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { sessionMsMax } from "../identity/sessions.ts";
import type { AppEnv } from "./app-env.ts";

/** Where browsers reach the hub; with https cookies are for https alone. */
type CookieDeps = { baseUrl: string };

const name = "hub_session";

/** The session's token as the browser sent it; null where it sent none. */
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
 * No script reads it, other sites' forms do not carry it, and over https no other host of the domain
 * can set it: that is what the prefix `__Host-` promises.
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
