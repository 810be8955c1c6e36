import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { type BudgetOptions, createAddressBudget } from "./address-budget.ts";
import type { AppEnv } from "./app-env.ts";
import { findClientIp } from "./find-client-ip.ts";

/** Stops who asks for a page's work much faster than people do, by address. */
export function limitPages(options: BudgetOptions) {
  const budget = createAddressBudget(options);
  return createMiddleware<AppEnv>(async (ctx, next) => {
    if (!budget.take(findClientIp(ctx) ?? "")) {
      throw new HubError("rate_limited", "Too many requests from here. Try again in a minute.");
    }
    await next();
  });
}
