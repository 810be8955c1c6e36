/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import {
  type AddDeps,
  addFactor,
  type NewFactor,
} from "../../identity/second-factor/add-factor.ts";
import { findHalfWayUser } from "../../identity/second-factor/factor-sign-in.ts";
import type { Transaction } from "../../store/database/database.ts";
import { listSecondFactors } from "../../store/users/second-factors-table.ts";
import type { User } from "../../store/users/users-table.ts";
import type { AppEnv } from "../app-env.ts";
import { giveCsrfToken } from "../guards/check-form.ts";
import { RecoveryCodesPage, SetUpFactorPage } from "../pages/factors/set-up-factor.tsx";
import { renderPage } from "../pages/render-page.tsx";
import { toVisitor } from "./auth-pages.tsx";
import { enterSession } from "./browser-cookies.ts";
import { type FactorPageDeps, refuseOver } from "./factor-pages.tsx";
import { clearHalfWay, readHalfWay, stepPaths } from "./half-way-cookie.ts";
import {
  askNewApp,
  askNewPasskey,
  readNewApp,
  readNewFactor,
  sealApp,
} from "./passkey-challenges.ts";

export type SetUpDeps = FactorPageDeps & { factorSignIn: FactorPageDeps["factorSignIn"] & AddDeps };

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

const setUpActions = {
  app: `${stepPaths["set-up"]}/app`,
  passkey: `${stepPaths["set-up"]}/passkey`,
};

/** The page of a user who must set up a second factor before anything else. */
export function showSetUp(deps: SetUpDeps): Handler {
  return async (ctx) => {
    const halfWay = readHalfWay(deps, ctx, "set-up");
    const found = halfWay && (await findHalfWayUser(deps.factorSignIn.db, halfWay));
    if (found === null) return refuseOver(deps, ctx);
    const { user } = found;
    return await renderSetUp(deps, ctx, { user, signedIn: null, actions: setUpActions });
  };
}

/** Adds the first factor of a user whose password was right, and begins the session. */
export function finishSetUp(deps: SetUpDeps, kind: NewFactor["kind"]): Handler {
  return async (ctx) => {
    const halfWay = readHalfWay(deps, ctx, "set-up");
    const { db } = deps.factorSignIn;
    const found = halfWay && (await findHalfWayUser(db, halfWay));
    if (halfWay === null || found === null) return refuseOver(deps, ctx);
    const { user } = found;
    const visitor = toVisitor(ctx);
    const session = deps.factorSignIn.sessions.prepare(visitor);
    const { id: userId, email } = user;
    const actor = { userId, email, tokenId: null, via: "session", ip: visitor.ipAddress } as const;
    const show = { user, signedIn: null, actions: setUpActions };
    return await addFromForm(
      deps,
      ctx,
      { kind, actor, sessionId: null, show },
      {
        async alongside(trx) {
          if ((await findHalfWayUser(trx, halfWay)) === null) return false;
          await session.begin(trx, userId);
          return true;
        },
        async onAdded() {
          clearHalfWay(deps, ctx);
          await enterSession(deps, ctx, session.token);
          ctx.set("session", await deps.sessions.find(session.token));
          return halfWay.destination;
        },
      },
    );
  };
}

type Shown = {
  user: Pick<User, "id" | "email" | "name">;
  signedIn: SignedIn | null;
  actions: { app: string; passkey: string };
};
type Adding = {
  kind: NewFactor["kind"];
  actor: Actor;
  sessionId: string | null;
  show: Shown;
};
type Steps = {
  /** Runs in the transaction. False ends it: the sign-in is over. */
  alongside(trx: Transaction): Promise<boolean>;
  /** Resolves with the next page. */
  onAdded(): Promise<string>;
};

/** Adds the factor of a form, then shows the recovery codes, or goes on. */
export async function addFromForm(
  deps: SetUpDeps,
  ctx: Context<AppEnv>,
  { kind, actor, sessionId, show }: Adding,
  { alongside, onAdded }: Steps,
): Promise<Response> {
  const { user } = show;
  const read = kind === "totp" ? readNewApp : readNewFactor;
  const factor = read(deps, ctx, user.id);
  const secret = factor?.kind === "totp" ? factor.secret : null;
  const fail = (fault: string) => {
    ctx.status(422);
    return renderSetUp(deps, ctx, { ...show, fault, secret });
  };
  if (factor === null) return await fail("This took too long. Try again.");
  try {
    const adding = { user, actor, sessionId };
    const added = await addFactor(deps.factorSignIn, adding, factor, async (trx) => {
      if (!(await alongside(trx))) {
        throw new HubError("forbidden", "This sign-in is over. Sign in again.");
      }
    });
    if (added === "wrong") {
      return await fail(
        kind === "totp"
          ? "This code is wrong. Enter the code that the app shows now; the clock of the phone must be right."
          : "This passkey was not accepted. Try again.",
      );
    }
    const destination = await onAdded();
    const { recoveryCodes: codes } = added;
    if (codes === null) return ctx.redirect(destination, 303);
    const signedIn = ctx.get("session");
    return await renderPage(
      ctx,
      <RecoveryCodesPage signedIn={signedIn} codes={codes} destination={destination} />,
      { scripts: "copy" },
    );
  } catch (thrown) {
    if (thrown instanceof HubError && thrown.code === "conflict") return await fail(thrown.message);
    throw thrown;
  }
}

/** The page on which a factor is set up. `secret` is that of the form before, which the app has already. */
export async function renderSetUp(
  deps: SetUpDeps,
  ctx: Context<AppEnv>,
  {
    user,
    signedIn,
    actions,
    fault = null,
    secret = null,
  }: Shown & { fault?: string | null; secret?: string | null },
): Promise<Response> {
  const { id: userId, email } = user;
  const factors = await listSecondFactors(deps.factorSignIn.db, userId);
  const hasApp = factors.some(({ kind }) => kind === "totp");
  const app =
    secret === null ? askNewApp(deps, ctx, userId) : sealApp(deps, ctx, { userId, secret });
  const passkey = askNewPasskey(deps, ctx, { ...user, factors });
  return await renderPage(
    ctx,
    <SetUpFactorPage
      signedIn={signedIn}
      csrfToken={giveCsrfToken(deps, ctx)}
      email={email}
      host={new URL(deps.baseUrl).hostname}
      actions={actions}
      fault={fault}
      app={hasApp ? null : app}
      passkey={passkey}
    />,
    { scripts: passkey === null ? "frame" : "passkey" },
  );
}
