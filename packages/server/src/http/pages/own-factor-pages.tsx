/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import { findRelyingPartyId } from "../../identity/second-factor/webauthn.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import {
  listFactors,
  removeOwnFactor,
  renewRecoveryCodes,
} from "../../services/users/manage-factors.ts";
import { findSessionById } from "../../store/users/sessions-table.ts";
import type { AppEnv } from "../app-env.ts";
import { askFresh } from "../guards/ask-fresh.ts";
import { getSignedIn, toActor } from "../guards/need-session.ts";
import { addFromForm, renderSetUp, type SetUpDeps } from "../sign-in/set-up-pages.tsx";
import { OwnFactorsPage, ownFactorsPath } from "./factors/own-factors.tsx";
import { RecoveryCodesPage } from "./factors/set-up-factor.tsx";
import { renderPage } from "./render-page.tsx";

export type OwnFactorDeps = SetUpDeps & { services: ServiceDeps };

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

const addActions = { app: `${ownFactorsPath}/add/app`, passkey: `${ownFactorsPath}/add/passkey` };

export function showOwnFactors(deps: OwnFactorDeps): Handler {
  return (ctx) => renderOwn(deps, ctx, null);
}

/** The page on which a factor is added. Opening it asks for a fresh sign-in, so that the form is not filled in vain. */
export function showAddFactor(deps: OwnFactorDeps): Handler {
  return (ctx) =>
    whenFresh(deps, ctx, `${ownFactorsPath}/add`, () => {
      const signedIn = getSignedIn(ctx);
      return renderSetUp(deps, ctx, { user: signedIn.user, signedIn, actions: addActions });
    });
}

export function addOwnFactor(deps: OwnFactorDeps, kind: "totp" | "passkey"): Handler {
  return (ctx) =>
    whenFresh(deps, ctx, `${ownFactorsPath}/add`, () => {
      const signedIn = getSignedIn(ctx);
      const { user, sessionId } = signedIn;
      const show = { user, signedIn, actions: addActions };
      const adding = { kind, actor: toActor(ctx), sessionId, show };
      return addFromForm(deps, ctx, adding, {
        alongside: async (trx) => (await findSessionById(trx, sessionId)) !== null,
        onAdded: async () => ownFactorsPath,
      });
    });
}

export function removeFactor(deps: OwnFactorDeps): Handler {
  return (ctx) =>
    whenFresh(deps, ctx, ownFactorsPath, async () => {
      await removeOwnFactor(deps.services, toActor(ctx), ctx.req.param("id") ?? "");
      return ctx.redirect(ownFactorsPath, 303);
    });
}

export function renewCodes(deps: OwnFactorDeps): Handler {
  return (ctx) =>
    whenFresh(deps, ctx, ownFactorsPath, async () => {
      const codes = await renewRecoveryCodes(deps.services, toActor(ctx));
      const signedIn = getSignedIn(ctx);
      return await renderPage(
        ctx,
        <RecoveryCodesPage signedIn={signedIn} codes={codes} destination={ownFactorsPath} />,
        { scripts: "copy" },
      );
    });
}

/** Does the work, or asks for a fresh sign-in first. A form cannot be sent again after it, so `page` follows. */
async function whenFresh(
  deps: OwnFactorDeps,
  ctx: Context<AppEnv>,
  page: string,
  work: () => Promise<Response>,
): Promise<Response> {
  const fresh = askFresh(deps, ctx, "factors", page);
  if (fresh !== null) return fresh;
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.code !== "conflict") throw thrown;
    ctx.status(422);
    return await renderOwn(deps, ctx, thrown.message);
  }
}

async function renderOwn(
  deps: OwnFactorDeps,
  ctx: Context<AppEnv>,
  fault: string | null,
): Promise<Response> {
  const signedIn = getSignedIn(ctx);
  const hasName = findRelyingPartyId(deps.baseUrl) !== null;
  return await renderPage(
    ctx,
    <OwnFactorsPage
      signedIn={signedIn}
      factors={await listFactors(deps.services, signedIn.user.id)}
      fault={fault}
      noPasskeys={
        hasName
          ? null
          : `Browsers make no passkeys for ${deps.baseUrl}: the hub needs a name and https. An admin can set HUB_BASE_URL.`
      }
    />,
  );
}
