import type { Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Timers } from "../../lib/time/timers.ts";
import type { AuthorizationServer } from "../../oauth/authorization-server.ts";
import { readClientMetadata } from "../../oauth/client-metadata.ts";
import { describeProtectedResource, machineGrantTypes, oauthPaths } from "../../oauth/endpoints.ts";
import { toTokenParams } from "../../oauth/request-params.ts";
import type { AppEnv } from "../app-env.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { findClientIp } from "../clients/find-client.ts";
import { limitOAuth } from "../guards/limit-addresses.ts";

export type OAuthDeps = {
  baseUrl: string;
  oauth: Omit<AuthorizationServer, "close">;
  timers: Timers;
};

const registrationsPerMinute = 30;
const tokensPerMinute = 300;

/**
 * Metadata, registration and tokens, for programs without a session. Served before the check of
 * Origin, for clients that run in a browser. Cookies are ignored.
 */
export function serveOAuthEndpoints(
  app: Hono<AppEnv>,
  deps: OAuthDeps & Pick<BodyReaders, "readForm">,
): void {
  const { baseUrl, timers, readForm } = deps;
  const limit = (perMinute: number) => limitOAuth({ perMinute, now: timers.now });
  const tokens = [limit(tokensPerMinute), readForm, passOn(deps)] as const;

  app.use("/.well-known/*", openToOrigins("GET"));
  // A client with a slash at the end of its address has one in those that it derives, too.
  for (const path of ["", "/", "/mcp", "/mcp/"]) {
    app.get(`/.well-known/oauth-protected-resource${path}`, (ctx) =>
      ctx.json(describeProtectedResource(baseUrl)),
    );
  }
  for (const path of ["", "/"]) {
    app.get(`/.well-known/oauth-authorization-server${path}`, async (ctx) =>
      ctx.json(await deps.oauth.describe()),
    );
  }

  for (const path of [oauthPaths.register, oauthPaths.token, oauthPaths.revoke]) {
    app.on(["POST", "OPTIONS"], path, openToOrigins("POST"));
  }
  app.post(oauthPaths.register, limit(registrationsPerMinute), readForm, register(deps));
  app.post(oauthPaths.token, ...tokens);
  app.post(oauthPaths.revoke, ...tokens);
}

/** Allows requests from every origin. The answers do not depend on the browser's user. */
function openToOrigins(method: "GET" | "POST") {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    if (ctx.req.method === "OPTIONS") {
      return new Response(null, {
        status: 204,
        headers: {
          "Access-Control-Allow-Origin": "*",
          "Access-Control-Allow-Methods": method,
          "Access-Control-Allow-Headers": "content-type, authorization, mcp-protocol-version",
          "Access-Control-Max-Age": "3600",
        },
      });
    }
    await next();
    ctx.res.headers.set("Access-Control-Allow-Origin", "*");
  });
}

function register({ baseUrl, oauth }: OAuthDeps) {
  return async (ctx: Context<AppEnv>) => {
    const metadata = readClientMetadata(parseJsonOrNull(readText(ctx)));
    if ("error" in metadata) return ctx.json(metadata, 400);
    const answer = await oauth.answer(
      new Request(`${baseUrl}${oauthPaths.register}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(metadata),
      }),
      findClientIp(ctx),
    );
    const answered = Object(await answer.json());
    if (answer.status !== 201) return Response.json(answered, { status: answer.status });
    const { client_id, client_id_issued_at } = answered;
    const headers = { "Cache-Control": "no-store" };
    return Response.json({ client_id, client_id_issued_at, ...metadata }, { status: 201, headers });
  };
}

function passOn({ oauth }: OAuthDeps) {
  return async (ctx: Context<AppEnv>) => {
    const headers = new Headers();
    for (const name of ["content-type", "authorization", "accept"]) {
      const value = ctx.req.header(name);
      if (value !== undefined) headers.set(name, value);
    }
    const isForm = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded");
    const text = readText(ctx);
    const params = isForm ? toTokenParams(new URLSearchParams(text)) : null;
    const isMachine = params?.getAll("grant_type").some((type) => machineGrantTypes.has(type));
    if (params !== null && isMachine === true && ctx.req.path === oauthPaths.token) {
      const authorization = headers.get("authorization");
      const answered = await oauth.answerMachine(params, { authorization, ip: findClientIp(ctx) });
      if (answered !== null) return answered;
    }
    const body = params?.toString() ?? text;
    // Without the query: URLs are logged, so parameters there are ignored.
    const url = new URL(ctx.req.url);
    return await oauth.answer(
      new Request(`${url.origin}${url.pathname}`, { method: "POST", headers, body }),
      findClientIp(ctx),
    );
  };
}

/** Empty for a body that is not valid UTF-8. */
function readText(ctx: Context<AppEnv>): string {
  return ctx.get("body") ?? "";
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
