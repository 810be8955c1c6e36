/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import {
  type FactorSignInDeps,
  findHalfWayUser,
  finishWithFactor,
  refuseHalfWay,
  signInByPasskey,
} from "../../identity/second-factor/factor-sign-in.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import { listSecondFactors } from "../../store/users/second-factors-table.ts";
import type { AppEnv } from "../app-env.ts";
import { giveCsrfToken } from "../guards/check-form.ts";
import { GiveFactorPage } from "../pages/factors/give-factor.tsx";
import { renderPage } from "../pages/render-page.tsx";
import { type AuthPageDeps, orRefusal, refuse, renderLogin, toVisitor } from "./auth-pages.tsx";
import { enterSession, readBrowserCookie } from "./browser-cookies.ts";
import { toDestination, withDestination } from "./destination.ts";
import { clearHalfWay, readHalfWay, stepPaths } from "./half-way-cookie.ts";
import { askPasskey, readGivenFactor, readPasskeyAnswer } from "./passkey-challenges.ts";

export type FactorPageDeps = AuthPageDeps & {
  factorSignIn: FactorSignInDeps;
  metrics: Pick<Metrics, "countSignIn">;
};

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

const wrongFactor = "This code is wrong, or was used before. Wait for the next one.";
const wrongPasskey = "This passkey was not accepted. Try again.";

/** The page after the password. */
export function showFactor(deps: FactorPageDeps): Handler {
  return (ctx) => renderFactor(deps, ctx, null);
}

/** Completes a sign-in whose password was right. */
export function giveFactor(deps: FactorPageDeps): Handler {
  return async (ctx) => {
    const halfWay = readHalfWay(deps, ctx, "give");
    if (halfWay === null) return refuseOver(deps, ctx);
    const isPasskey = ctx.get("form").has("signature");
    const given = readGivenFactor(deps, ctx);
    const browserCookie = readBrowserCookie(deps, ctx);
    const visitor = { ...toVisitor(ctx), browserCookie };
    const work =
      given === null ? null : finishWithFactor(deps.factorSignIn, halfWay, given, visitor);
    const token = await countOutcome(deps, "second_factor", work);
    if (token instanceof HubError)
      return refuse(ctx, token, (fault) => renderFactor(deps, ctx, fault));
    if (token === null) {
      ctx.status(401);
      return renderFactor(deps, ctx, isPasskey ? wrongPasskey : wrongFactor);
    }
    clearHalfWay(deps, ctx);
    await enterSession(deps, ctx, token);
    return ctx.redirect(halfWay.destination, 303);
  };
}

/** Signs in with a passkey and nothing else. */
export function enterByPasskey(deps: FactorPageDeps): Handler {
  return async (ctx) => {
    const destination = toDestination(ctx.get("form").get("next"));
    const given = readPasskeyAnswer(deps, ctx);
    const work = given && signInByPasskey(deps.factorSignIn, given, toVisitor(ctx));
    const token = await countOutcome(deps, "passkey", work);
    const showFault = (fault: string) => renderLogin(deps, ctx, { destination, email: "", fault });
    if (token instanceof HubError) return refuse(ctx, token, showFault);
    if (token === null) {
      ctx.status(401);
      return showFault(wrongPasskey);
    }
    await enterSession(deps, ctx, token);
    return ctx.redirect(destination, 303);
  };
}

type Method = "second_factor" | "passkey";

/** The token, null if it is wrong, or the refusal that the page shows; counted. */
async function countOutcome(
  { metrics }: FactorPageDeps,
  method: Method,
  work: Promise<string | null> | null,
): Promise<string | null | HubError> {
  try {
    const token = await orRefusal(work ?? Promise.resolve(null));
    const outcome = token instanceof HubError ? "failed" : token === null ? "refused" : "success";
    metrics.countSignIn(method, outcome);
    return token;
  } catch (thrown) {
    metrics.countSignIn(method, "failed");
    throw thrown;
  }
}

async function renderFactor(
  deps: FactorPageDeps,
  ctx: Context<AppEnv>,
  fault: string | null,
): Promise<Response> {
  const halfWay = readHalfWay(deps, ctx, "give");
  const { db } = deps.factorSignIn;
  const found = halfWay && (await findHalfWayUser(db, halfWay));
  if (found === null) return refuseOver(deps, ctx);
  const { id } = found.user;
  const factors = await listSecondFactors(db, id);
  const passkey = askPasskey(deps, ctx, { id, factors });
  return await renderPage(
    ctx,
    <GiveFactorPage
      action={stepPaths.give}
      csrfToken={giveCsrfToken(deps, ctx)}
      fault={fault}
      passkey={passkey}
      hasApp={factors.some(({ kind }) => kind === "totp")}
    />,
    { scripts: passkey === null ? "none" : "passkey" },
  );
}

/** A form that comes too late is told so; a page that is only opened leads to the sign-in. */
export function refuseOver(deps: FactorPageDeps, ctx: Context<AppEnv>): Response {
  clearHalfWay(deps, ctx);
  if (ctx.req.method === "POST") throw refuseHalfWay();
  const destination = toDestination(ctx.req.query("next"));
  return ctx.redirect(withDestination("/auth/login", destination), 303);
}
