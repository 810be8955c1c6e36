import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Stops other sites' pages from using a browser on the same machine or network to reach the hub:
 * a browser says in Origin where a page comes from. Programs send none.
 */
export function checkOrigin({ origins }: AnsweredHosts) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const origin = ctx.req.header("origin");
    if (origin !== undefined && !origins.has(origin.toLowerCase())) {
      throw new HubError("forbidden", "Pages of other sites may not use this server.");
    }
    await next();
  });
}
