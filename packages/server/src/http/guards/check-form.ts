import { createHmac, randomBytes } from "node:crypto";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { HubError } from "../../errors.ts";
import { isSameText } from "../../lib/text/is-same-text.ts";
import type { AppEnv } from "../app-env.ts";
import { toOptions } from "../sign-in/session-cookie.ts";

/** The hidden field of every form. */
export const csrfField = "csrf";

type FormDeps = { baseUrl: string };

const cookieName = "hub_form";
const cookiePattern = /^[A-Za-z0-9_-]{22}$/;

/**
 * Refuses forms that the token cannot make valid, before their body is read: those of other types and of other
 * sites, and those of browsers that were given no token.
 */
export function checkFormSource(deps: FormDeps) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const site = ctx.req.header("sec-fetch-site") ?? "same-origin";
    const type = ctx.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/x-www-form-urlencoded") {
      throw new HubError(
        "unsupported_media_type",
        "Send the form as application/x-www-form-urlencoded.",
      );
    }
    if (site !== "same-origin" || findCsrfToken(deps, ctx) === null) throw refuseForm();
    await next();
  });
}

/**
 * Parses a form. Refuses forms of other sites, also before sign-in (login CSRF): the browser names the
 * site of origin, and the form must carry a token that only this hub's pages know.
 */
export function checkForm(deps: FormDeps) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const form = new URLSearchParams(ctx.get("body") ?? "");
    const expected = findCsrfToken(deps, ctx);
    if (expected === null || !isSameText(form.get(csrfField) ?? "", expected)) throw refuseForm();
    ctx.set("form", form);
    await next();
  });
}

function refuseForm(): HubError {
  return new HubError(
    "forbidden",
    "This form is no longer valid. Go back, reload the page and send the form again.",
  );
}

/**
 * The CSRF token for the forms of this answer: the session's token, or before sign-in one that is
 * bound to a cookie, which this sets.
 */
export function giveCsrfToken(deps: FormDeps, ctx: Context<AppEnv>): string {
  const known = findCsrfToken(deps, ctx) ?? ctx.get("newFormToken");
  if (known !== undefined) return known;
  const options = toOptions(deps.baseUrl);
  const cookie = randomBytes(16).toString("base64url");
  setCookie(ctx, cookieName, cookie, { ...options, sameSite: "Strict" });
  const token = toToken(cookie);
  ctx.set("newFormToken", token);
  return token;
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
