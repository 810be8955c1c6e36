import { createMiddleware } from "hono/factory";
import type { Metrics } from "../lib/metrics.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Gives every request an id, so that an admin finds a reported failure in the log, and counts its
 * answer. An id that came with the request is ignored: its sender could write into the log.
 */
export function noteRequest({ metrics }: { metrics: Pick<Metrics, "countRequest"> }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const requestId = crypto.randomUUID();
    ctx.set("requestId", requestId);
    await next();
    ctx.res.headers.set("X-Request-Id", requestId);
    metrics.countRequest(findDoor(ctx.req.path), ctx.res.status);
  });
}

/** One of a few words: a label for each path would let strangers fill the memory. */
function findDoor(path: string): string {
  if (path === "/mcp") return "mcp";
  if (/^\/(?:manager|admin|profile)\/api\//.test(path)) return "api";
  if (path.startsWith("/oauth/") || path.startsWith("/.well-known/")) return "oauth";
  if (path === "/health" || path === "/metrics") return "probe";
  return "pages";
}
