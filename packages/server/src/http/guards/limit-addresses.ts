import { createMiddleware } from "hono/factory";
import { HubError } from "../../errors.ts";
import { createNetworkBuckets } from "../../lib/network/network-buckets.ts";
import type { AppEnv } from "../app-env.ts";
import { findClientIp } from "../clients/find-client.ts";

type AddressLimit = { perMinute: number; now: () => number };

/** Limits the requests for a page from one network, and from one area of networks. */
export function limitPages(limit: AddressLimit) {
  return limitAddresses(limit, () => {
    throw new HubError(
      "rate_limited",
      "Too many requests from your address. Try again in a minute.",
    );
  });
}

/**
 * Limits requests from one network: registrations fill the database, and the token endpoint allows
 * guesses. Errors have the form of RFC 6749, section 5.2.
 */
export function limitOAuth(limit: AddressLimit) {
  return limitAddresses(limit, () =>
    Response.json(
      {
        error: "temporarily_unavailable",
        error_description: "Too many requests from this address. Try again in a minute.",
      },
      { status: 429, headers: { "Retry-After": "60" } },
    ),
  );
}

/** Preflight requests are not counted: browsers add them to a page's requests. */
function limitAddresses({ perMinute, now }: AddressLimit, refuse: () => Response) {
  const buckets = createNetworkBuckets({ now, perMinute });
  return createMiddleware<AppEnv>(async (ctx, next) => {
    if (ctx.req.method !== "OPTIONS" && !buckets.take(findClientIp(ctx) ?? "")) return refuse();
    await next();
  });
}
