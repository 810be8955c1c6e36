import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../app-env.ts";

/** Allows the hub's own stylesheet and font, inline images and forms to the hub; no scripts, no framing. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Sets the headers of every page and form answer. A page's own policy is kept. */
export function setPageHeaders({ baseUrl }: { baseUrl: string }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    await next();
    addPageHeaders(ctx.res.headers, { baseUrl });
  });
}

/** The same for pages outside the routes, such as errors. */
export function addPageHeaders(headers: Headers, { baseUrl }: { baseUrl: string }): void {
  if (!headers.has("Content-Security-Policy")) headers.set("Content-Security-Policy", pagePolicy);
  headers.set("X-Frame-Options", "DENY");
  headers.set("X-Content-Type-Options", "nosniff");
  // Not "no-referrer": with it, browsers send forms with the Origin "null".
  headers.set("Referrer-Policy", "same-origin");
  // No Cross-Origin-Opener-Policy: clients in a browser open sign-in and consent in a popup and wait
  // for it. An opener of another origin cannot read these pages.
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (baseUrl.startsWith("https:")) {
    headers.set("Strict-Transport-Security", "max-age=31536000");
  }
}
