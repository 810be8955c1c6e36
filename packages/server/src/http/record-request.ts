import { createMiddleware } from "hono/factory";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Gives every request an id, by which an admin finds a reported failure in the log, and counts its
 * answer. A request id from the client is ignored, because it would be written to the log.
 */
export function recordRequest({ metrics }: { metrics: Pick<Metrics, "countRequest"> }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const requestId = crypto.randomUUID();
    ctx.set("requestId", requestId);
    await next();
    ctx.res.headers.set("X-Request-Id", requestId);
    metrics.countRequest(toDoorLabel(ctx.req.path), ctx.res.status);
  });
}

/** One of a few labels: with one per path, requests for made-up paths would fill the memory. */
function toDoorLabel(path: string): string {
  if (/^\/(?:manager|admin|profile)\/api\//.test(path)) return "api";
  if (path.startsWith("/oauth/") || path.startsWith("/.well-known/")) return "oauth";
  if (path === "/health" || path === "/metrics") return "probe";
  return "pages";
}
