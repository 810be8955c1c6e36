import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { PersonalBearer } from "../../identity/authenticate-bearer.ts";
import { isSameText } from "../../lib/text/is-same-text.ts";
import type { AppEnv } from "../app-env.ts";
import { parseBearer } from "../guards/parse-bearer.ts";
import type { ApiCaller, ApiSession } from "./api-caller.ts";

export type ApiCallerDeps = {
  /** Finds the user of a personal access token; null if the token is not valid. */
  authenticatePersonalToken(token: string): Promise<PersonalBearer | null>;
  /** Finds the user of the browser's session. */
  findSession(ctx: Context<AppEnv>): Promise<ApiSession | null>;
};

const safeMethods = new Set(["GET", "HEAD"]);

/**
 * The active user behind a request. A token in the header takes precedence over a session's cookie.
 * Throws `unauthorized` without either, `insufficient_scope` for a token with the scope `mcp`, and
 * `forbidden` for a change by a session without its CSRF token: pages of other sites can make a
 * browser send the cookie but cannot read the token.
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
  const { caller, sessionId, csrfToken, freshAt } = session;
  const isSafe = safeMethods.has(ctx.req.method);
  if (!isSafe && !isSameText(ctx.req.header("x-csrf-token") ?? "", csrfToken)) {
    throw new HubError(
      "forbidden",
      "Changes by a signed-in browser require the header X-CSRF-Token with the csrf_token of GET /profile/api/me.",
    );
  }
  return { caller, via: "session", sessionId, csrfToken, freshAt };
}

async function findTokenCaller(deps: ApiCallerDeps, header: string): Promise<ApiCaller> {
  const { token } = parseBearer(header);
  if (token !== null && /^hub_o[ab]t_/.test(token)) {
    throw new HubError(
      "forbidden",
      "This token belongs to an application and is valid for MCP only. Use a personal access token to manage the hub.",
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
  return { caller: bearer.caller, via: "token", sessionId: null, csrfToken: null, freshAt: null };
}

/** Refuses tokens with the scope `mcp`: a token stolen from a client must not manage the hub. */
export function refuseScope(): HubError {
  return new HubError(
    "insufficient_scope",
    "This token is valid for MCP only. Use a token with the scope manage: create one at /profile/tokens or with `hub token create --scope manage`.",
  );
}
