import { createMiddleware } from "hono/factory";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import type { RefusalLog } from "../lib/refusal-log.ts";
import type { AppEnv } from "./app-env.ts";
import { parseBearer } from "./parse-bearer.ts";
import { toProblemResponse } from "./present-problem.ts";

export type BearerDeps = {
  /** Finds whom a token stands for. */
  authenticate(token: string): Promise<Caller | null>;
  refusals: RefusalLog;
  baseUrl: string;
};

/**
 * Stops everyone without a valid token, before method and body are looked at: clients learn how to
 * log in from the answer to whatever they try first. Only the header counts: a token in a URL
 * would end up in logs.
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
      : "A token is needed: send it as Authorization: Bearer TOKEN.",
  );
}
