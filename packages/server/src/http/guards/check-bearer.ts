import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { RequestAddress } from "../../identity/authenticate-bearer.ts";
import type { RefusalLog } from "../../lib/logs/refusal-log.ts";
import { toProblemResponse } from "../present-problem.ts";
import { parseBearer } from "./parse-bearer.ts";

export type BearerDeps = {
  /** Finds the user of a token. */
  authenticate(token: string, from: RequestAddress): Promise<Caller | null>;
  refusals: RefusalLog;
  baseUrl: string;
};

/**
 * Returns the caller, or the refusal of a request without a valid token. It comes before the checks
 * of method and body: clients start the authorization flow from this answer to any request. Tokens
 * in a URL are ignored, because URLs are logged.
 */
export async function checkBearer(
  deps: BearerDeps,
  { headers, url }: Pick<Request, "headers" | "url">,
  from: RequestAddress,
): Promise<Caller | Response> {
  const header = headers.get("authorization");
  const { isSent, token } = parseBearer(header);
  try {
    const caller = token === null ? null : await deps.authenticate(token, from);
    const advice = isSent ? "" : describeMisplaced(header, url);
    return caller ?? refuse(deps, isSent, refuseToken(isSent, advice));
  } catch (thrown) {
    // The token is right, but its user is not confirmed: an application then asks the user to sign in again.
    if (!(thrown instanceof HubError) || thrown.code !== "unauthorized") throw thrown;
    return refuse(deps, isSent, thrown);
  }
}

/** Where the token is instead, as other servers take it. */
function describeMisplaced(header: string | null, url: string): string {
  if (header !== null) {
    return / /.test(header.trim())
      ? " The scheme must be Bearer: of this header, another one was read."
      : " The word Bearer and a space must stand before it.";
  }
  if (!tokenInQuery.test(url)) return "";
  return " It must not stand in the address, because addresses are logged: if one did, revoke it.";
}

const tokenInQuery = /[?&](?:access_token|token|api_?key|key|auth(?:orization)?|bearer)=/i;

function refuse({ refusals, baseUrl }: BearerDeps, isSent: boolean, refusal: HubError): Response {
  refusals.record("unauthorized");
  const error = isSent ? 'error="invalid_token", ' : "";
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
  return toProblemResponse(refusal, {
    "WWW-Authenticate": `Bearer ${error}${metadata}, scope="mcp"`,
  });
}

function refuseToken(isSent: boolean, advice: string): HubError {
  return new HubError(
    "unauthorized",
    isSent
      ? "This token is unknown, expired or revoked. Use another one."
      : `A token is required. Send it as Authorization: Bearer TOKEN.${advice}`,
  );
}
