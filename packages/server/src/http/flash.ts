import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { SignedIn } from "../identity/sessions.ts";
import { openAtRest, sealAtRest } from "../secrets/at-rest.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { AppEnv } from "./app-env.ts";
import { toOptions } from "./session-cookie.ts";

type FlashDeps = { baseUrl: string; ring: Pick<RingHolder, "current"> };

const name = "hub_flash";
const secondsMax = 60;

/**
 * Carries a text to the next page, once: sealed, in a cookie of this session, so that a form's answer
 * can be a redirect and reloading the page neither sends the form again nor shows the text again.
 */
export function setFlash(
  { baseUrl, ring }: FlashDeps,
  ctx: Context<AppEnv>,
  signedIn: SignedIn,
  text: string,
): void {
  const sealed = Buffer.from(sealAtRest(ring.current(), toPlace(signedIn), text));
  setCookie(ctx, name, sealed.toString("base64url"), {
    ...toOptions(baseUrl),
    sameSite: "Strict",
    maxAge: secondsMax,
  });
}

/** The text that the form before left for this page; null where there is none. */
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
    return openAtRest(ring.current(), toPlace(signedIn), Buffer.from(sealed, "base64url"));
  } catch {
    // Another session's, or altered: it is nobody's business what it was.
    return null;
  }
}

function toPlace({ sessionId }: SignedIn) {
  return { table: "flash", row: sessionId, field: name };
}
