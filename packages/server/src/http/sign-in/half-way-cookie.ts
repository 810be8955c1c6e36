import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { FactorStep } from "../../identity/second-factor/factor-step.ts";
import {
  findState,
  type HalfWay,
  halfWayState,
  sealState,
  setUpState,
} from "../../identity/second-factor/sealed-state.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { AppEnv } from "../app-env.ts";
import { giveCsrfToken } from "../guards/check-form.ts";
import { toOptions } from "./session-cookie.ts";

export type HalfWayDeps = {
  baseUrl: string;
  factorSignIn: { ring: Pick<RingHolder, "current">; now: () => number };
};

const name = "hub_half_way";

const specs = { give: halfWayState, "set-up": setUpState } as const;

/** The page of each step. */
export const stepPaths = {
  give: "/auth/second-factor",
  "set-up": "/auth/second-factor/set-up",
} as const satisfies Record<FactorStep, string>;

/** Keeps in this browser that the password was right. In another browser, whose forms have another token, it does not open. */
export function setHalfWay(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  step: FactorStep,
  halfWay: HalfWay,
): void {
  const sealed = sealState(toSealing(deps, ctx), specs[step], halfWay);
  setCookie(ctx, name, sealed, {
    ...toOptions(deps.baseUrl),
    sameSite: "Strict",
    maxAge: specs[step].lastsMs / 1000,
  });
}

/** Null if this browser has given no password, or its time is over. */
export function readHalfWay(
  deps: HalfWayDeps,
  ctx: Context<AppEnv>,
  step: FactorStep,
): HalfWay | null {
  const cookie = getCookie(ctx, name, toOptions(deps.baseUrl).prefix);
  return findState(toSealing(deps, ctx), specs[step], cookie);
}

export function clearHalfWay({ baseUrl }: HalfWayDeps, ctx: Context<AppEnv>): void {
  deleteCookie(ctx, name, toOptions(baseUrl));
}

/** What seals the states of this browser. */
export function toSealing({ baseUrl, factorSignIn }: HalfWayDeps, ctx: Context<AppEnv>) {
  const { ring, now } = factorSignIn;
  return { ring: ring.current(), holder: giveCsrfToken({ baseUrl }, ctx), now: now() };
}
