import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import type { RefusalLog } from "../lib/refusal-log.ts";
import { parseBearer } from "./parse-bearer.ts";
import { toProblemResponse } from "./present-problem.ts";

export type BearerDeps = {
  /** Finds the user of a token. */
  authenticate(token: string): Promise<Caller | null>;
  refusals: RefusalLog;
  baseUrl: string;
};

/**
 * Returns the caller, or the refusal of a request without a valid token. It comes before the checks
 * of method and body: clients start the authorization flow from this answer to any request. Tokens
 * in a URL are ignored, because URLs are logged.
 */
export async function checkBearer(deps: BearerDeps, headers: Headers): Promise<Caller | Response> {
  const { isSent, token } = parseBearer(headers.get("authorization"));
  const caller = token === null ? null : await deps.authenticate(token);
  return caller ?? refuse(deps, isSent);
}

function refuse({ refusals, baseUrl }: BearerDeps, isSent: boolean): Response {
  refusals.note("unauthorized");
  const error = isSent ? 'error="invalid_token", ' : "";
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
  return toProblemResponse(refuseToken(isSent), {
    "WWW-Authenticate": `Bearer ${error}${metadata}, scope="mcp"`,
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
