import type { Context } from "hono";
import type { AppEnv } from "./app-env.ts";

const lengthMax = 400;

/** What the client calls itself, as records keep it: a line, and not as long as it likes. */
export function findUserAgent(ctx: Context<AppEnv>): string | null {
  return ctx.req.raw.headers.get("user-agent")?.slice(0, lengthMax) ?? null;
}
