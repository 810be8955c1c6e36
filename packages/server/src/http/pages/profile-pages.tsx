/** @jsxImportSource hono/jsx */

import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import * as applications from "../../services/users/manage-applications.ts";
import { listIdentities } from "../../services/users/manage-identities.ts";
import * as sessions from "../../services/users/manage-sessions.ts";
import * as tokens from "../../services/users/manage-tokens.ts";
import { rotateToken as replaceToken } from "../../services/users/rotate-token.ts";
import { decryptValue as openValue } from "../../services/values/decrypt-value.ts";
import { encryptValue as sealValue } from "../../services/values/encrypt-value.ts";
import type { AppEnv } from "../app-env.ts";
import { askFresh } from "../guards/ask-fresh.ts";
import { getSignedIn, toActor } from "../guards/need-session.ts";
import { ConnectPage } from "./connect.tsx";
import { DecryptPage, EncryptPage } from "./encfields.tsx";
import { setFlash, takeFlash } from "./flash.ts";
import { ProfilePage, profilePath } from "./profile.tsx";
import { readBounds } from "./read-bounds.ts";
import { renderPage } from "./render-page.tsx";
import { type TokenMessages, TokensPage, tokensPath } from "./tokens.tsx";

export type ProfilePageDeps = {
  baseUrl: string;
  ring: RingHolder;
  services: ServiceDeps;
};

/** A user can have 50 active and 50 ended tokens, and more if they are older than these limits. */
const tokensPerPage = 200;

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

export function showProfile({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const { id: userId } = signedIn.user;
    return renderPage(
      ctx,
      <ProfilePage
        signedIn={signedIn}
        identities={await listIdentities(services, userId)}
        sessions={await sessions.listSessions(services, { userId })}
        applications={await applications.listApplications(services, { userId })}
      />,
    );
  };
}

export function endOwnSession({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const own = { of: getSignedIn(ctx).user.id };
    await sessions.endSession(services, toActor(ctx), ctx.req.param("id") ?? "", own);
    return ctx.redirect(profilePath, 303);
  };
}

export function endOtherSessions({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const { user, sessionId } = getSignedIn(ctx);
    await sessions.endAllSessions(services, toActor(ctx), user.id, { except: sessionId });
    return ctx.redirect(profilePath, 303);
  };
}

export function revokeOwnApplication({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const own = { of: getSignedIn(ctx).user.id };
    await applications.revokeApplication(services, toActor(ctx), ctx.req.param("id") ?? "", own);
    return ctx.redirect(profilePath, 303);
  };
}

export function showTokens(deps: ProfilePageDeps): Handler {
  return (ctx) => renderTokens(deps, ctx, { created: takeFlash(deps, ctx, getSignedIn(ctx)) });
}

export function createToken(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const form = ctx.get("form");
    const days = form.get("expires_in_days") ?? "";
    const fresh = askFresh(deps, ctx, "access", tokensPath);
    if (fresh !== null) return fresh;
    try {
      const { token } = await tokens.createToken(deps.services, toActor(ctx), signedIn.user.id, {
        name: form.get("name") ?? "",
        scope: form.get("scope") === "manage" ? "manage" : "mcp",
        ...(days !== "" && { expiresInDays: Number(days) }),
        ...readBounds(form),
      });
      setFlash(deps, ctx, signedIn, token);
      return ctx.redirect(tokensPath, 303);
    } catch (thrown) {
      return renderFault(deps, ctx, thrown, "of a new token");
    }
  };
}

export function rotateToken(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const hours = ctx.get("form").get("overlap_hours") ?? "";
    const fresh = askFresh(deps, ctx, "access", tokensPath);
    if (fresh !== null) return fresh;
    try {
      const { token } = await replaceToken(deps.services, toActor(ctx), ctx.req.param("id") ?? "", {
        of: signedIn.user.id,
        ...(hours !== "" && { overlapHours: Number(hours) }),
      });
      setFlash(deps, ctx, signedIn, token);
      return ctx.redirect(tokensPath, 303);
    } catch (thrown) {
      return renderFault(deps, ctx, thrown, "of a rotation");
    }
  };
}

export function revokeToken({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const own = { of: getSignedIn(ctx).user.id };
    await tokens.revokeToken(services, toActor(ctx), ctx.req.param("id") ?? "", own);
    return ctx.redirect(tokensPath, 303);
  };
}

export function showConnect({ baseUrl }: ProfilePageDeps): Handler {
  const mcpUrl = `${baseUrl}/mcp`;
  return async (ctx) => {
    const client = ctx.req.query("client");
    return renderPage(
      ctx,
      <ConnectPage signedIn={getSignedIn(ctx)} mcpUrl={mcpUrl} client={client} />,
      { scripts: "copy" },
    );
  };
}

export const showEncrypt: Handler = async (ctx) =>
  renderPage(ctx, <EncryptPage signedIn={getSignedIn(ctx)} result={null} fault={null} />);

export const showDecrypt: Handler = async (ctx) =>
  renderPage(ctx, <DecryptPage signedIn={getSignedIn(ctx)} result={null} fault={null} />);

export function encryptValue({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const answer = await tryValue(ctx, (text) => sealValue(services, signedIn.user.id, { text }));
    return renderPage(ctx, <EncryptPage signedIn={signedIn} {...answer} />);
  };
}

export function decryptValue({ services }: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const answer = await tryValue(ctx, (text) => openValue(services, signedIn.user.id, { text }));
    return renderPage(ctx, <DecryptPage signedIn={signedIn} {...answer} />);
  };
}

async function tryValue(ctx: Context<AppEnv>, work: (text: string) => Promise<string>) {
  try {
    // Forms send line breaks as CRLF; the pasted value had LF.
    const text = (ctx.get("form").get("value") ?? "").replaceAll("\r\n", "\n");
    return { result: await work(text), fault: null };
  } catch (thrown) {
    const isShown =
      thrown instanceof HubError && ["bad_request", "token_invalid"].includes(thrown.code);
    if (!isShown) throw thrown;
    ctx.status(422);
    return { result: null, fault: thrown.message };
  }
}

/** Shows what is wrong with the sent form. Other errors are thrown on. */
function renderFault(
  deps: ProfilePageDeps,
  ctx: Context<AppEnv>,
  thrown: unknown,
  kind: "of a new token" | "of a rotation",
): Promise<Response> {
  const isShown = thrown instanceof HubError && ["bad_request", "conflict"].includes(thrown.code);
  if (!isShown) throw thrown;
  ctx.status(422);
  const { message } = thrown;
  return renderTokens(
    deps,
    ctx,
    kind === "of a rotation" ? { rotationFault: message } : { fault: message },
  );
}

async function renderTokens(
  deps: ProfilePageDeps,
  ctx: Context<AppEnv>,
  { created = null, fault = null, rotationFault = null }: Partial<TokenMessages>,
): Promise<Response> {
  const signedIn = getSignedIn(ctx);
  const page = { userId: signedIn.user.id, limit: tokensPerPage, after: ctx.req.query("after") };
  const { items, next } = await tokens.listTokens(deps.services, page);
  return renderPage(
    ctx,
    <TokensPage
      signedIn={signedIn}
      tokens={items}
      next={next}
      created={created}
      fault={fault}
      rotationFault={rotationFault}
    />,
    { scripts: created === null ? "frame" : "copy" },
  );
}
