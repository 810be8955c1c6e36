import type { Context, Hono, MiddlewareHandler } from "hono";
import { freshSignInPath } from "../../identity/fresh-sign-in.ts";
import type { AppEnv } from "../app-env.ts";
import { needSession } from "../guards/need-session.ts";
import type { OwnFactorDeps } from "../pages/own-factor-pages.tsx";
import { stepPaths } from "./half-way-cookie.ts";

type Guard = MiddlewareHandler<AppEnv>;
/** The guards of pages, of forms, of forms that strangers send, of those that change something, and of those that store more. */
type Guards = {
  page: readonly [Guard, Guard, Guard];
  form: readonly [Guard, Guard, Guard, Guard];
  pace: Guard;
  count: Guard;
  space: Guard;
};

const ownPath = "/profile/second-factor";

/** The pages of second factors and fresh sign-ins. They are loaded at the first request for one of them. */
export function serveFactorPages(
  app: Hono<AppEnv>,
  deps: OwnFactorDeps,
  { page, form, pace, count, space }: Guards,
): void {
  const { give, "set-up": setUp } = stepPaths;
  const factor = lazily(() => import("./factor-pages.tsx"));
  app.get(
    give,
    ...page,
    factor((pages) => pages.showFactor(deps)),
  );
  app.post(
    give,
    pace,
    ...page,
    ...form,
    factor((pages) => pages.giveFactor(deps)),
  );
  app.post(
    "/auth/passkey",
    pace,
    ...page,
    ...form,
    factor((pages) => pages.enterByPasskey(deps)),
  );

  const first = lazily(() => import("./set-up-pages.tsx"));
  app.get(
    setUp,
    ...page,
    first((pages) => pages.showSetUp(deps)),
  );
  const firstForm = [pace, ...page, ...form, space] as const;
  app.post(
    `${setUp}/app`,
    ...firstForm,
    first((pages) => pages.finishSetUp(deps, "totp")),
  );
  app.post(
    `${setUp}/passkey`,
    ...firstForm,
    first((pages) => pages.finishSetUp(deps, "passkey")),
  );

  const fresh = lazily(() => import("./fresh-pages.tsx"));
  app.get(
    freshSignInPath,
    ...page,
    needSession,
    fresh((pages) => pages.showFresh(deps)),
  );
  app.post(
    freshSignInPath,
    pace,
    ...page,
    ...form,
    needSession,
    fresh((pages) => pages.confirmFresh(deps)),
  );

  const own = lazily(() => import("../pages/own-factor-pages.tsx"));
  const ownPage = [...page, needSession] as const;
  const ownForm = [...page, ...form, needSession, count] as const;
  app.get(
    ownPath,
    ...ownPage,
    own((pages) => pages.showOwnFactors(deps)),
  );
  app.get(
    `${ownPath}/add`,
    ...ownPage,
    own((pages) => pages.showAddFactor(deps)),
  );
  app.post(
    `${ownPath}/add/app`,
    ...ownForm,
    space,
    own((pages) => pages.addOwnFactor(deps, "totp")),
  );
  app.post(
    `${ownPath}/add/passkey`,
    ...ownForm,
    space,
    own((pages) => pages.addOwnFactor(deps, "passkey")),
  );
  app.post(
    `${ownPath}/codes`,
    ...ownForm,
    space,
    own((pages) => pages.renewCodes(deps)),
  );
  app.post(
    `${ownPath}/:id/remove`,
    ...ownForm,
    own((pages) => pages.removeFactor(deps)),
  );
}

type Handler = (ctx: Context<AppEnv>) => Response | Promise<Response>;

/** Handlers of pages that are loaded on first use. */
function lazily<Pages>(load: () => Promise<Pages>) {
  return (choose: (pages: Pages) => Handler): Handler =>
    async (ctx) =>
      await choose(await load())(ctx);
}
