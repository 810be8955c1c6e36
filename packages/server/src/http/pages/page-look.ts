import { type MenuFold, toFold, toFoldCookie } from "@hub/contract/menu-fold.ts";
import type { Context } from "hono";
import { getCookie } from "hono/cookie";
import type { AppEnv } from "../app-env.ts";

/** The icon of every page, inlined, so that browsers request no file. */
export const iconUrl =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='3' fill='%234263eb'/%3E%3Cg fill='none' stroke='%234263eb' stroke-width='1.5'%3E%3Ccircle cx='8' cy='8' r='6.5'/%3E%3C/g%3E%3C/svg%3E";

/** The chosen colours of the pages; null follows the system. The app's switch sets the cookie. */
export type Scheme = "light" | "dark" | null;

export function readScheme(ctx: Context<AppEnv>): Scheme {
  const chosen = getCookie(ctx, "hub_scheme");
  return chosen === "light" || chosen === "dark" ? chosen : null;
}

/** Whether the menu of this page is folded, which its switch keeps in a cookie. */
export function readFold(ctx: Context<AppEnv>): MenuFold {
  const { path } = ctx.req;
  return toFold(path, getCookie(ctx, toFoldCookie(path)));
}
