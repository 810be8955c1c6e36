import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { StatusCode } from "hono/utils/http-status";
import { errorTable, HubError } from "../../errors.ts";
import { attemptMsMax } from "../../identity/sso/sealed-attempt.ts";
import type { SingleSignOn } from "../../identity/sso/single-sign-on.ts";
import type { AppEnv } from "../app-env.ts";
import { type AuthPageDeps, renderLogin, toVisitor } from "./auth-pages.tsx";
import { type BrowserDeps, enterSession } from "./browser-cookies.ts";
import { homePath, toDestination } from "./destination.ts";
import { toOptions } from "./session-cookie.ts";

export type SsoPageDeps = Pick<AuthPageDeps, keyof BrowserDeps | "hasPasskeys" | "factorSignIn"> & {
  singleSignOn: SingleSignOn | null;
};

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

const cookieName = "hub_sso";

/** Redirects the browser to the provider and sets the cookie that the callback requires. */
export function beginSingleSignOn(deps: SsoPageDeps): Handler {
  return async (ctx) => {
    const destination = toDestination(ctx.req.query("next"));
    return await showFailure(deps, ctx, destination, async (singleSignOn) => {
      const { url, cookie } = await singleSignOn.begin({
        destination,
        isFresh: ctx.req.query("fresh") === "1",
      });
      // Lax: the callback is a navigation from the provider's site.
      setCookie(ctx, cookieName, cookie, {
        ...toOptions(deps.baseUrl),
        maxAge: attemptMsMax / 1000,
      });
      return ctx.redirect(url, 303);
    });
  };
}

export function finishSingleSignOn(deps: SsoPageDeps): Handler {
  return async (ctx) => {
    const options = toOptions(deps.baseUrl);
    const cookie = getCookie(ctx, cookieName, options.prefix) ?? null;
    deleteCookie(ctx, cookieName, options);
    return await showFailure(deps, ctx, homePath, async (singleSignOn) => {
      const { search } = new URL(ctx.req.url);
      const { token, destination } = await singleSignOn.finish(search, cookie, toVisitor(ctx));
      await enterSession(deps, ctx, token);
      return ctx.redirect(toDestination(destination), 303);
    });
  };
}

/** Shows failures on the sign-in page, where the user can still use a password. */
async function showFailure(
  deps: SsoPageDeps,
  ctx: Context<AppEnv>,
  destination: string,
  work: (singleSignOn: SingleSignOn) => Promise<Response>,
): Promise<Response> {
  const { singleSignOn } = deps;
  if (singleSignOn === null) {
    throw new HubError("not_found", "This hub has no single sign-on. Sign in with a password.");
  }
  try {
    return await work(singleSignOn);
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    // Every status in the table is a valid HTTP status.
    ctx.status(errorTable[thrown.code].httpStatus as StatusCode);
    return await renderLogin(deps, ctx, { destination, email: "", fault: thrown.message });
  }
}
