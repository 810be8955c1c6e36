import { createMiddleware } from "hono/factory";
import { type BudgetOptions, createAddressBudget } from "./address-budget.ts";
import type { AppEnv } from "./app-env.ts";
import { findClientIp } from "./find-client-ip.ts";

/**
 * Stops floods from one address: of registrations, which fill the database, and of guesses at the
 * token endpoint.
 */
export function limitByAddress(options: BudgetOptions) {
  const budget = createAddressBudget(options);
  return createMiddleware<AppEnv>(async (ctx, next) => {
    if (ctx.req.method !== "OPTIONS" && !budget.take(findClientIp(ctx) ?? "")) {
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
