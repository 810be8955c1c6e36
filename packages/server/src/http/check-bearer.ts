import { createMiddleware } from "hono/factory";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import type { RefusalLog } from "../lib/refusal-log.ts";
import type { AppEnv } from "./app-env.ts";
import { parseBearer } from "./parse-bearer.ts";
import { toProblemResponse } from "./present-problem.ts";

export type BearerDeps = {
  /** Finds the user of a token. */
  authenticate(token: string): Promise<Caller | null>;
  refusals: RefusalLog;
  baseUrl: string;
};

/**
 * Refuses requests without a valid token, before method and body are checked: clients start the
 * authorization flow from this answer to any request. Tokens in a URL are ignored, because URLs are
 * logged.
 */
export function checkBearer({ authenticate, refusals, baseUrl }: BearerDeps) {
  const challenge = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource", scope="mcp"`;
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const { isSent, token } = parseBearer(ctx.req.header("authorization"));
    const caller = token === null ? null : await authenticate(token);
    if (caller === null) {
      refusals.note("unauthorized");
      const error = isSent ? 'error="invalid_token", ' : "";
      const headers = { "WWW-Authenticate": `Bearer ${error}${challenge}` };
      return toProblemResponse(refuseToken(isSent), headers);
    }
    ctx.set("caller", caller);
    await next();
  });
}

function refuseToken(isSent: boolean): HubError {
  return new HubError(
    "unauthorized",
    isSent
      ? "This token is unknown, expired or revoked. Use another one."
      : "A token is required. Send it as Authorization: Bearer TOKEN.",
  );
}
