import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { AppEnv } from "../app-env.ts";

/** The chosen colours of the pages; null follows the system. The app's switch sets the cookie. */
export type Scheme = "light" | "dark" | null;

export function readScheme(ctx: Context<AppEnv>): Scheme {
  const chosen = getCookie(ctx, "hub_scheme");
  return chosen === "light" || chosen === "dark" ? chosen : null;
}
