/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { HubError } from "../errors.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { Actor } from "../services/actor.ts";
import type { Manager } from "../services/create-manager.ts";
import type { AppEnv } from "./app-env.ts";
import { toClientSnippets } from "./client-snippets.ts";
import { findClientIp } from "./find-client-ip.ts";
import { setFlash, takeFlash } from "./flash.ts";
import { getSignedIn } from "./need-session.ts";
import { ConnectPage } from "./pages/connect.tsx";
import { DecryptPage, EncryptPage } from "./pages/encfields.tsx";
import { ProfilePage, profilePath } from "./pages/profile.tsx";
import { renderPage } from "./pages/render-page.ts";
import { TokensPage, tokensPath } from "./pages/tokens.tsx";

export type ProfilePageDeps = {
  baseUrl: string;
  ring: RingHolder;
  openManager(actor: Actor): Promise<Manager>;
};

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

export function showProfile(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const manager = await openOwnManager(deps, ctx);
    const own = { user: signedIn.user.email };
    return renderPage(
      ctx,
      <ProfilePage
        signedIn={signedIn}
        identities={await manager.identities.list(own)}
        sessions={await manager.sessions.list(own)}
        applications={await manager.applications.list(own)}
      />,
    );
  };
}

export function endOwnSession(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const manager = await openOwnManager(deps, ctx);
    const { email } = getSignedIn(ctx).user;
    await manager.sessions.end(ctx.req.param("id") ?? "", { of: email });
    return ctx.redirect(profilePath, 303);
  };
}

export function endOtherSessions(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const manager = await openOwnManager(deps, ctx);
    const { user, sessionId } = getSignedIn(ctx);
    await manager.sessions.endAll(user.email, { except: sessionId });
    return ctx.redirect(profilePath, 303);
  };
}

export function revokeOwnApplication(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const manager = await openOwnManager(deps, ctx);
    const { email } = getSignedIn(ctx).user;
    await manager.applications.revoke(ctx.req.param("id") ?? "", { user: email });
    return ctx.redirect(profilePath, 303);
  };
}

export function showTokens(deps: ProfilePageDeps): Handler {
  return (ctx) => renderTokens(deps, ctx, takeFlash(deps, ctx, getSignedIn(ctx)), null);
}

export function createToken(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const form = ctx.get("form");
    const days = form.get("expires_in_days") ?? "";
    const manager = await openOwnManager(deps, ctx);
    try {
      const { token } = await manager.tokens.create({
        user: signedIn.user.email,
        name: form.get("name") ?? "",
        scope: form.get("scope") === "manage" ? "manage" : "mcp",
        ...(days !== "" && { expiresInDays: Number(days) }),
      });
      setFlash(deps, ctx, signedIn, token);
      return ctx.redirect(tokensPath, 303);
    } catch (thrown) {
      const isShown =
        thrown instanceof HubError && ["bad_request", "conflict"].includes(thrown.code);
      if (!isShown) throw thrown;
      ctx.status(422);
      return renderTokens(deps, ctx, null, thrown.message);
    }
  };
}

export function revokeToken(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const manager = await openOwnManager(deps, ctx);
    const owner = { userId: getSignedIn(ctx).user.id };
    await manager.tokens.revokeOwn(owner, ctx.req.param("id") ?? "");
    return ctx.redirect(tokensPath, 303);
  };
}

export function showConnect({ baseUrl }: ProfilePageDeps): Handler {
  const mcpUrl = `${baseUrl}/mcp`;
  return async (ctx) =>
    renderPage(
      ctx,
      <ConnectPage
        signedIn={getSignedIn(ctx)}
        mcpUrl={mcpUrl}
        snippets={toClientSnippets(mcpUrl)}
      />,
    );
}

export const showEncrypt: Handler = async (ctx) =>
  renderPage(ctx, <EncryptPage signedIn={getSignedIn(ctx)} result={null} fault={null} />);

export const showDecrypt: Handler = async (ctx) =>
  renderPage(ctx, <DecryptPage signedIn={getSignedIn(ctx)} result={null} fault={null} />);

export function encryptValue(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const manager = await openOwnManager(deps, ctx);
    const answer = await tryValue(ctx, async (text) => {
      const { token } = await manager.encrypt({ user: signedIn.user.email, text });
      return token;
    });
    return renderPage(ctx, <EncryptPage signedIn={signedIn} {...answer} />);
  };
}

export function decryptValue(deps: ProfilePageDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const manager = await openOwnManager(deps, ctx);
    const answer = await tryValue(ctx, (text) =>
      manager.decrypt({ userId: signedIn.user.id, text }),
    );
    return renderPage(ctx, <DecryptPage signedIn={signedIn} {...answer} />);
  };
}

async function tryValue(ctx: Context<AppEnv>, work: (text: string) => Promise<string>) {
  try {
    // A form's line ends are those of a form; what was pasted had the usual ones.
    const text = (ctx.get("form").get("value") ?? "").replaceAll("\r\n", "\n");
    return { result: await work(text), fault: null };
  } catch (thrown) {
    const isTold =
      thrown instanceof HubError && ["bad_request", "token_invalid"].includes(thrown.code);
    if (!isTold) throw thrown;
    ctx.status(422);
    return { result: null, fault: thrown.message };
  }
}

async function renderTokens(
  deps: ProfilePageDeps,
  ctx: Context<AppEnv>,
  created: string | null,
  fault: string | null,
): Promise<Response> {
  const signedIn = getSignedIn(ctx);
  const manager = await openOwnManager(deps, ctx);
  const tokens = await manager.tokens.list({ user: signedIn.user.email });
  return renderPage(
    ctx,
    <TokensPage signedIn={signedIn} tokens={tokens} created={created} fault={fault} />,
  );
}

/** The verbs, with what they change noted as done by who is signed in. */
function openOwnManager({ openManager }: ProfilePageDeps, ctx: Context<AppEnv>): Promise<Manager> {
  const { user } = getSignedIn(ctx);
  const ip = findClientIp(ctx);
  return openManager({ userId: user.id, email: user.email, tokenId: null, via: "session", ip });
}
