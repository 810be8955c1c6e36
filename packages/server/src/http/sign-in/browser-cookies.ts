import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Sessions } from "../../identity/browser-sessions.ts";
import { type KnownBrowsers, knownMsMax } from "../../identity/known-browsers.ts";
import type { AppEnv } from "../app-env.ts";
import { setSessionCookie, toOptions } from "./session-cookie.ts";

export type BrowserDeps = {
  baseUrl: string;
  sessions: Pick<Sessions, "find" | "end">;
  knownBrowsers: Pick<KnownBrowsers, "remember">;
};

const name = "hub_browser";

/** The cookie that an earlier sign-in set; null if there is none. Signing out keeps it. */
export function readBrowserCookie(
  { baseUrl }: Pick<BrowserDeps, "baseUrl">,
  ctx: Context<AppEnv>,
): string | null {
  return getCookie(ctx, name, toOptions(baseUrl).prefix) ?? null;
}

/** Starts a session in this browser and marks it as known for the user. */
export async function enterSession(
  deps: BrowserDeps,
  ctx: Context<AppEnv>,
  token: string,
): Promise<void> {
  // Stops session fixation: an earlier session id is never signed in.
  const before = ctx.get("session");
  if (before !== null) await deps.sessions.end(before.sessionId);
  setSessionCookie(deps, ctx, token);
  const signedIn = await deps.sessions.find(token);
  if (signedIn === null) return;
  const cookie = await deps.knownBrowsers.remember(readBrowserCookie(deps, ctx), signedIn.user.id);
  setCookie(ctx, name, cookie, { ...toOptions(deps.baseUrl), maxAge: knownMsMax / 1000 });
}
