import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/** The client's address, behind the proxies that an admin trusts. */
export function findClientIp(ctx: Context<AppEnv>): string | null {
  return ctx.get("client").ip;
}
