import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { AppEnv } from "../app-env.ts";
import { toOptions } from "../sign-in/session-cookie.ts";

type FlashDeps = { baseUrl: string; ring: Pick<RingHolder, "current"> };

const name = "hub_flash";
const secondsMax = 60;

/**
 * Passes a text to the next page, sealed in a cookie of this session. So a form can answer with a
 * redirect, and reloading the page neither sends the form again nor shows the text again.
 */
export function setFlash(
  { baseUrl, ring }: FlashDeps,
  ctx: Context<AppEnv>,
  signedIn: SignedIn,
  text: string,
): void {
  const sealed = Buffer.from(sealAtRest(ring.current(), toAssociatedData(signedIn), text));
  setCookie(ctx, name, sealed.toString("base64url"), {
    ...toOptions(baseUrl),
    sameSite: "Strict",
    maxAge: secondsMax,
  });
}

/** The text that the previous form left for this page; null if there is none. */
export function takeFlash(
  { baseUrl, ring }: FlashDeps,
  ctx: Context<AppEnv>,
  signedIn: SignedIn,
): string | null {
  const options = toOptions(baseUrl);
  const sealed = getCookie(ctx, name, options.prefix);
  if (sealed === undefined) return null;
  deleteCookie(ctx, name, options);
  try {
    return openAtRest(ring.current(), toAssociatedData(signedIn), Buffer.from(sealed, "base64url"));
  } catch {
    // Altered, or of another session.
    return null;
  }
}

function toAssociatedData({ sessionId }: SignedIn) {
  return { table: "flash", row: sessionId, field: name };
}
