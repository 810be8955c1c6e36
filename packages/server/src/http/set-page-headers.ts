import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-env.ts";

/** Nothing but our own stylesheet, no script at all, no frame around it, forms to ourselves alone. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** What every page and form answer carries. A page that sets a policy of its own keeps it. */
export function setPageHeaders({ baseUrl }: { baseUrl: string }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    await next();
    addPageHeaders(ctx.res.headers, { baseUrl });
  });
}

/** The same for a page that is no route's: a refusal. */
export function addPageHeaders(headers: Headers, { baseUrl }: { baseUrl: string }): void {
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", policy);
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  // Not "no-referrer": with it, browsers send forms with the Origin "null", which is nobody's.
  headers.set("Referrer-Policy", "same-origin");
  // No Cross-Origin-Opener-Policy: clients in a browser open sign-in and consent in a window of
  // their own, and wait to hear from it. Nothing on these pages is within an opener's reach.
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (baseUrl.startsWith("https:")) {
    headers.set("Strict-Transport-Security", "max-age=31536000");
  }
}
