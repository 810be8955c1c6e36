import { createMiddleware } from "hono/factory";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import type { RefusalLog } from "../lib/refusal-log.ts";
import type { AppEnv } from "./app-env.ts";
import { toProblemResponse } from "./present-problem.ts";

export type BearerDeps = {
  /** Finds whom a token stands for. */
  authenticate(token: string): Promise<Caller | null>;
  refusals: RefusalLog;
  baseUrl: string;
};

/** Longer than any token the hub gives out; what is longer is not worth hashing. */
const tokenLengthMax = 200;

/**
 * Stops everyone without a valid token, before method and body are looked at: clients learn how to
 * log in from the answer to whatever they try first. Only the header counts: a token in a URL
 * would end up in logs.
 */
export function checkBearer({ authenticate, refusals, baseUrl }: BearerDeps) {
  const challenge = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource", scope="mcp"`;
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const token = findToken(ctx.req.header("authorization"));
    const isPossible = token !== null && token.length <= tokenLengthMax;
    const caller = isPossible ? await authenticate(token) : null;
    if (caller === null) {
      refusals.note("unauthorized");
      const error = token === null ? "" : 'error="invalid_token", ';
      const headers = { "WWW-Authenticate": `Bearer ${error}${challenge}` };
      return toProblemResponse(refuseToken(token), headers);
    }
    ctx.set("caller", caller);
    await next();
  });
}

function findToken(header: string | undefined): string | null {
  return header?.match(/^bearer +(\S+) *$/i)?.[1] ?? null;
}

function refuseToken(token: string | null): HubError {
  return new HubError(
    "unauthorized",
    token === null
      ? "A token is needed: send it as Authorization: Bearer TOKEN."
      : "This token is unknown, expired or revoked. Use another one.",
  );
}
