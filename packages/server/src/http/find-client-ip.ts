import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

/** The peer itself. Forwarding headers say what their sender likes, so they do not count. */
export function findClientIp(ctx: Context<AppEnv>): string | null {
  const address = ctx.env.server?.requestIP(ctx.req.raw)?.address ?? null;
  return address?.replace(/^::ffff:(?=\d+\.)/, "") ?? null;
}
