import { createHmac, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { isSameText } from "../lib/is-same-text.ts";
import type { AppEnv } from "./app-env.ts";
import { toOptions } from "./session-cookie.ts";

/** The hidden field of every form. */
export const csrfField = "csrf";

type FormDeps = { baseUrl: string };

const cookieName = "hub_form";
const cookiePattern = /^[A-Za-z0-9_-]{22}$/;

/**
 * Parses a form that one of our own pages sent. Stops forms of other sites, also those that would
 * sign somebody in as another (login CSRF): the browser says where a request comes from, and the
 * form has to carry what only our page could know.
 */
export function checkForm(deps: FormDeps) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const site = ctx.req.header("sec-fetch-site") ?? "same-origin";
    const type = ctx.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/x-www-form-urlencoded") {
      throw new HubError("unsupported_media_type", "Send the form as the page does.");
    }
    const form = new URLSearchParams(ctx.get("body") ?? "");
    const expected = findCsrfToken(deps, ctx);
    const isOwn = site === "same-origin" && expected !== null;
    if (!isOwn || !isSameText(form.get(csrfField) ?? "", expected)) {
      throw new HubError(
        "forbidden",
        "This form is no longer valid. Go back, load the page again, and send it once more.",
      );
    }
    ctx.set("form", form);
    await next();
  });
}

/**
 * What the forms of this answer have to carry: the session's own, or before sign-in one that is bound
 * to a cookie of this browser, which is set with the page.
 */
export function giveCsrfToken(deps: FormDeps, ctx: Context<AppEnv>): string {
  const known = findCsrfToken(deps, ctx);
  if (known !== null) return known;
  const options = toOptions(deps.baseUrl);
  const cookie = randomBytes(16).toString("base64url");
  setCookie(ctx, cookieName, cookie, { ...options, sameSite: "Strict" });
  return toToken(cookie);
}

function findCsrfToken({ baseUrl }: FormDeps, ctx: Context<AppEnv>): string | null {
  const session = ctx.get("session");
  if (session !== null) return session.csrfToken;
  const cookie = getCookie(ctx, cookieName, toOptions(baseUrl).prefix) ?? "";
  return cookiePattern.test(cookie) ? toToken(cookie) : null;
}

function toToken(cookie: string): string {
  return createHmac("sha256", cookie).update("hub-form-v1").digest("base64url");
}
