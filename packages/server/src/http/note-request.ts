import { createMiddleware } from "hono/factory";
import type { Tallies } from "../lib/tallies.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Names every request, so that who reports a failure can say which one it was and an admin finds it in
 * the log; and counts its answer. A name that came with the request counts for nothing: whoever sent it
 * could write into the log.
 */
export function noteRequest({ tallies }: { tallies: Pick<Tallies, "add"> }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const requestId = crypto.randomUUID();
    ctx.set("requestId", requestId);
    await next();
    ctx.res.headers.set("X-Request-Id", requestId);
    const status = `${Math.floor(ctx.res.status / 100)}xx`;
    tallies.add("hub_http_requests_total", [findDoor(ctx.req.path), status]);
  });
}

/** Made of a few words whatever is asked for: an address of its own for each would fill the memory. */
function findDoor(path: string): string {
  if (path === "/mcp") return "mcp";
  if (/^\/(?:manager|admin|profile)\/api\//.test(path)) return "api";
  if (path.startsWith("/oauth/") || path.startsWith("/.well-known/")) return "oauth";
  if (path === "/health" || path === "/metrics") return "probe";
  return "pages";
}
