import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Stops pages of other sites from reaching the hub through a user's browser: browsers name a page's
 * site in Origin. Other programs send no Origin.
 */
export function checkOrigin({ origins }: AnsweredHosts) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const origin = ctx.req.header("origin");
    if (origin !== undefined && !origins.has(origin.toLowerCase())) {
      throw new HubError("forbidden", "Requests from pages of other sites are not allowed.");
    }
    await next();
  });
}
