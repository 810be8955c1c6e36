import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/** The client's address, as found behind trusted proxies. */
export function findClientIp(ctx: Context<AppEnv>): string | null {
  return ctx.get("client").ip;
}
