import type { Context } from "hono";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { PersonalBearer } from "../../identity/authenticate-bearer.ts";
import { isSameText } from "../../lib/is-same-text.ts";
import type { AppEnv } from "../app-env.ts";
import { parseBearer } from "../parse-bearer.ts";

/** Who asks, and by what right. */
export type ApiCaller = {
  caller: Caller;
  via: "session" | "token";
  /** Null for a token. */
  sessionId: string | null;
  csrfToken: string | null;
};

/** A signed-in browser and whom it stands for. */
export type ApiSession = { caller: Caller; sessionId: string; csrfToken: string };

export type ApiCallerDeps = {
  /** Finds whom a personal access token stands for; null for every other text. */
  authenticatePersonalToken(token: string): Promise<PersonalBearer | null>;
  /** Finds whom the browser's session belongs to. */
  findSession(ctx: Context<AppEnv>): Promise<ApiSession | null>;
};

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * The active user behind a request. A token in the header counts before a session's cookie. Throws
 * `unauthorized` where there is neither, `insufficient_scope` for a token that is for MCP alone, and
 * `forbidden` for a change by a session that does not carry
 * its CSRF token: a foreign page can make a browser send the cookie, but cannot read the token.
 */
export async function findApiCaller(deps: ApiCallerDeps, ctx: Context<AppEnv>): Promise<ApiCaller> {
  const header = ctx.req.header("authorization");
  if (header !== undefined) return await findTokenCaller(deps, header);
  const session = await deps.findSession(ctx);
  if (session === null) {
    throw new HubError(
      "unauthorized",
      "Sign in, or send a personal access token as Authorization: Bearer TOKEN.",
    );
  }
  const { caller, sessionId, csrfToken } = session;
  const isSafe = safeMethods.has(ctx.req.method);
  if (!isSafe && !isSameText(ctx.req.header("x-csrf-token") ?? "", csrfToken)) {
    throw new HubError(
      "forbidden",
      "A change by a signed-in browser needs the header X-CSRF-Token with the csrf_token of GET /profile/api/me.",
    );
  }
  return { caller, via: "session", sessionId, csrfToken };
}

async function findTokenCaller(deps: ApiCallerDeps, header: string): Promise<ApiCaller> {
  const { token } = parseBearer(header);
  if (token?.startsWith("hub_oat_")) {
    throw new HubError(
      "forbidden",
      "This token was given to an application for MCP, not to manage the hub. Use a personal access token.",
    );
  }
  const bearer = token === null ? null : await deps.authenticatePersonalToken(token);
  if (bearer === null) {
    throw new HubError(
      "unauthorized",
      "This token is unknown, expired or revoked. Use another one.",
    );
  }
  if (bearer.scope !== "manage") throw refuseScope();
  return { caller: bearer.caller, via: "token", sessionId: null, csrfToken: null };
}

/** A token that clients hold calls tools. Whoever takes it from a client gets no further. */
export function refuseScope(): HubError {
  return new HubError(
    "insufficient_scope",
    "This token is for MCP alone. Use a token with the scope manage: make one at /profile/tokens, or with `hub token create --scope manage`.",
  );
}
