/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import { freshSignInPath } from "../../identity/fresh-sign-in.ts";
import { confirmWithFactor } from "../../identity/second-factor/factor-sign-in.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import { listSecondFactors } from "../../store/users/second-factors-table.ts";
import type { AppEnv } from "../app-env.ts";
import { getSignedIn } from "../guards/need-session.ts";
import { FreshPage } from "../pages/factors/give-factor.tsx";
import { renderPage } from "../pages/render-page.tsx";
import { orRefusal, refuse, toVisitor } from "./auth-pages.tsx";
import { toDestination } from "./destination.ts";
import type { FactorPageDeps } from "./factor-pages.tsx";
import { askPasskey, readGivenFactor } from "./passkey-challenges.ts";
import { setSessionCookie } from "./session-cookie.ts";

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

/** Asks the user of a session who they are. */
export function showFresh(
  deps: FactorPageDeps & { services: Pick<ServiceDeps, "freshSignIn"> },
): Handler {
  return async (ctx) => {
    const destination = toDestination(ctx.req.query("next"));
    const { freshAt } = getSignedIn(ctx);
    // Also how a page of the app learns that another window has confirmed.
    if (deps.services.freshSignIn.isFresh(freshAt, "factors"))
      return ctx.redirect(destination, 303);
    return await renderFresh(deps, ctx, destination, null);
  };
}

/** Renews the session, if the user gives what only they have. */
export function confirmFresh(deps: FactorPageDeps): Handler {
  return async (ctx) => {
    const form = ctx.get("form");
    const destination = toDestination(form.get("next"));
    const show = (fault: string) => renderFresh(deps, ctx, destination, fault);
    const token = await orRefusal(proveAgain(deps, ctx));
    if (token instanceof HubError) return refuse(ctx, token, show);
    if (token === null) {
      ctx.status(401);
      return show(
        form.has("password")
          ? "The password is wrong."
          : "This was not right, or was used before. Try again.",
      );
    }
    setSessionCookie(deps, ctx, token);
    return ctx.redirect(destination, 303);
  };
}

async function proveAgain(deps: FactorPageDeps, ctx: Context<AppEnv>): Promise<string | null> {
  const signedIn = getSignedIn(ctx);
  const password = ctx.get("form").get("password");
  if (password !== null) return await deps.signIn.confirm(signedIn, password, toVisitor(ctx));
  const given = readGivenFactor(deps, ctx);
  if (given === null) return null;
  return await confirmWithFactor(deps.factorSignIn, signedIn, given, toVisitor(ctx));
}

async function renderFresh(
  deps: FactorPageDeps,
  ctx: Context<AppEnv>,
  destination: string,
  fault: string | null,
): Promise<Response> {
  const signedIn = getSignedIn(ctx);
  const { id } = signedIn.user;
  const factors = await listSecondFactors(deps.factorSignIn.db, id);
  const passkey = askPasskey(deps, ctx, { id, factors });
  const { singleSignOn } = deps;
  const href = `/auth/sso?${new URLSearchParams({ next: destination, fresh: "1" })}`;
  return await renderPage(
    ctx,
    <FreshPage
      signedIn={signedIn}
      csrfToken={signedIn.csrfToken}
      action={freshSignInPath}
      destination={destination}
      fault={fault}
      asks={factors.length > 0 ? "factor" : signedIn.hasPassword ? "password" : "provider"}
      hasApp={factors.some(({ kind }) => kind === "totp")}
      passkey={passkey}
      singleSignOn={singleSignOn && { name: singleSignOn.name, href }}
    />,
    { scripts: passkey === null ? "frame" : "passkey" },
  );
}
