import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

const lengthMax = 400;

/** The client's User-Agent header, cut to a bounded length for records. */
export function findUserAgent(ctx: Context<AppEnv>): string | null {
  return ctx.req.raw.headers.get("user-agent")?.slice(0, lengthMax) ?? null;
}
