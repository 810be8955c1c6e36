/** @jsxImportSource hono/jsx */
import type { Context, Hono, MiddlewareHandler } from "hono";
import type { JSX } from "hono/jsx/jsx-runtime";
import { HubError } from "../../errors.ts";
import { oauthPaths } from "../../oauth/endpoints.ts";
import { authorizeCharsMax, toAuthorizeParams } from "../../oauth/request-params.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { findClientIp } from "../clients/find-client.ts";
import { askFresh } from "../guards/ask-fresh.ts";
import { limitOAuth } from "../guards/limit-addresses.ts";
import { getSignedIn, needSession, toActor } from "../guards/need-session.ts";
import { ConsentPage, ContinuePage, OAuthFailurePage } from "../pages/consent.tsx";
import { renderPage } from "../pages/render-page.tsx";
import type { OAuthDeps } from "./oauth-endpoints.ts";

type OAuthPageDeps = OAuthDeps & { services: Pick<ServiceDeps, "freshSignIn"> };

type PageGuards = {
  /** The guards of every page: the session, its headers, and its place in the queue. */
  page: readonly [MiddlewareHandler<AppEnv>, MiddlewareHandler<AppEnv>, MiddlewareHandler<AppEnv>];
  /** The guards of every form. */
  form: readonly [
    MiddlewareHandler<AppEnv>,
    MiddlewareHandler<AppEnv>,
    MiddlewareHandler<AppEnv>,
    MiddlewareHandler<AppEnv>,
  ];
};

const authorizationsPerMinute = 60;

/** The pages of the authorization flow: start, consent, and the redirect back to the client. */
export function serveOAuthPages(app: Hono<AppEnv>, deps: OAuthPageDeps, guards: PageGuards): void {
  const limit = limitOAuth({ perMinute: authorizationsPerMinute, now: deps.timers.now });
  const consent = `${oauthPaths.consent}/:uid`;
  app.get(oauthPaths.authorize, limit, ...guards.page, startAuthorization(deps));
  app.get(`${oauthPaths.authorize}/:uid`, limit, ...guards.page, resumeAuthorization(deps));
  app.get(consent, ...guards.page, needSession, showConsent(deps));
  app.post(consent, ...guards.page, ...guards.form, needSession, decideConsent(deps));
}

type Handler = (ctx: Context<AppEnv>) => Promise<Response>;

function startAuthorization(deps: OAuthDeps): Handler {
  return async (ctx) => {
    const url = new URL(ctx.req.url);
    const params = `${toAuthorizeParams(url.searchParams)}`;
    if (params.length > authorizeCharsMax) return showTooLong(ctx);
    return passToProvider(deps, ctx, `${url.pathname}?${params}`);
  };
}

function resumeAuthorization(deps: OAuthDeps): Handler {
  return (ctx) => passToProvider(deps, ctx, ctx.req.path);
}

/** Passes redirects of the provider on. Its errors are JSON, which is shown as a page. */
async function passToProvider(
  { baseUrl, oauth }: OAuthDeps,
  ctx: Context<AppEnv>,
  path: string,
): Promise<Response> {
  const answer = await oauth.answer(withCookies(ctx, `${baseUrl}${path}`), findClientIp(ctx));
  if (answer.status < 400) return answer;
  const { error, error_description: description } = Object(await answer.json());
  const clientId = new URL(path, baseUrl).searchParams.get("client_id") ?? "";
  const unknownClient = error === "invalid_client" ? oauth.explainUnknownClient(clientId) : null;
  ctx.status(answer.status >= 500 ? 500 : 400);
  return showPage(
    ctx,
    <OAuthFailurePage
      message={unknownClient ?? explain(String(error))}
      detail={`${error}: ${description ?? ""}`}
      signedIn={ctx.get("session")}
    />,
  );
}

function showConsent({ oauth }: OAuthDeps): Handler {
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const consent = await oauth.findConsent(withCookies(ctx, ctx.req.url), toUid(ctx));
    if (consent === null) return showOver(ctx);
    return showPage(ctx, <ConsentPage consent={consent} signedIn={signedIn} />);
  };
}

function decideConsent(deps: OAuthPageDeps): Handler {
  const { oauth } = deps;
  return async (ctx) => {
    const signedIn = getSignedIn(ctx);
    const request = withCookies(ctx, ctx.req.url);
    const consent = await oauth.findConsent(request, toUid(ctx));
    if (consent === null) return showOver(ctx);
    const decision = ctx.get("form").get("decision");
    if (decision !== "allow" && decision !== "deny") {
      throw new HubError("bad_request", "Choose Allow or Deny for the application.");
    }
    const page = `${oauthPaths.consent}/${toUid(ctx)}`;
    const fresh = decision === "allow" ? askFresh(deps, ctx, "access", page) : null;
    if (fresh !== null) return fresh;
    const path =
      decision === "allow"
        ? await oauth.allow(request, consent, toActor(ctx))
        : await oauth.deny(request);
    const { target } = consent;
    if (target.kind !== "app") ctx.header("Refresh", `0; url=${path}`);
    return showPage(ctx, <ContinuePage path={path} target={target} signedIn={signedIn} />);
  };
}

/** The provider gets only the cookies of a browser's request. */
function withCookies(ctx: Context<AppEnv>, url: string): Request {
  return new Request(url, {
    headers: { cookie: ctx.req.header("cookie") ?? "", accept: "text/html" },
  });
}

function toUid(ctx: Context<AppEnv>): string {
  return ctx.req.param("uid") ?? "";
}

/** These pages give access to others, so they run no script at all. */
function showPage(ctx: Context<AppEnv>, page: JSX.Element): Response | Promise<Response> {
  return renderPage(ctx, page, { scripts: "none" });
}

function showTooLong(ctx: Context<AppEnv>): Response | Promise<Response> {
  ctx.status(400);
  return showPage(
    ctx,
    <OAuthFailurePage
      message="The application's request is too long. Report this to its developers."
      detail={`invalid_request: the parameters may have ${authorizeCharsMax} characters together, with state`}
      signedIn={ctx.get("session")}
    />,
  );
}

function showOver(ctx: Context<AppEnv>): Response | Promise<Response> {
  ctx.status(400);
  return showPage(
    ctx,
    <OAuthFailurePage
      message="This request has expired or was started in another browser. Start again from the application."
      detail={null}
      signedIn={ctx.get("session")}
    />,
  );
}

/** What a user can do about a failure that cannot be sent to the client. */
function explain(error: string): string {
  switch (error) {
    case "invalid_client":
      return "The hub does not know this application. Unused applications are removed after some time. Remove the connection in the application and add it again.";
    case "invalid_redirect_uri":
      return "The application asks for a redirect to an address that it has not registered. Do not trust it.";
    case "server_error":
      return "An internal error occurred in the hub. Try again. If it happens again, ask an admin to check the log.";
    default:
      return "The request has expired or is incomplete. Start again from the application.";
  }
}
