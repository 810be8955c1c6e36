import { createMiddleware } from "hono/factory";
import { toClientNetwork } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";
import { findClientIp } from "./find-client-ip.ts";

type LimitOptions = { perMinute: number; now: () => number };

/** Addresses that are counted at once; past it the oldest is forgotten. */
const addressesMax = 10_000;
const minuteMs = 60_000;

/**
 * Stops floods from one address: of registrations, which fill the database, and of guesses at the
 * token endpoint. Every address has so many requests, and gets them back evenly over a minute.
 */
export function limitByAddress({ perMinute, now }: LimitOptions) {
  const spent = new Map<string, { count: number; at: number }>();

  function take(address: string): boolean {
    const before = spent.get(address);
    const regained = before === undefined ? 0 : ((now() - before.at) / minuteMs) * perMinute;
    const count = Math.max(0, (before?.count ?? 0) - regained);
    if (count + 1 > perMinute) return false;
    // Put back at the end: the first is the one that has been quiet for longest.
    spent.delete(address);
    spent.set(address, { count: count + 1, at: now() });
    const [oldest] = spent.keys();
    if (spent.size > addressesMax && oldest !== undefined) spent.delete(oldest);
    return true;
  }

  return createMiddleware<AppEnv>(async (ctx, next) => {
    if (ctx.req.method !== "OPTIONS" && !take(toClientNetwork(findClientIp(ctx) ?? ""))) {
      return Response.json(
        {
          error: "temporarily_unavailable",
          error_description: "Too many requests from this address. Try again in a minute.",
        },
        { status: 429, headers: { "Retry-After": "60" } },
      );
    }
    await next();
  });
}
