import { oauthScope, withoutLastSlash } from "./endpoints.ts";

/** The supported parameters of an authorization request; others are ignored (RFC 6749, 3.1). */
const authorizeParams = new Set([
  "client_id",
  "response_type",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
  // The provider refuses these parameters itself. Ignoring them would change the request.
  "request",
  "request_uri",
]);

/**
 * The longest authorization request, as it is written in a URL. It is stored until the user has decided, also for
 * strangers. Most of it is the client's `state`.
 */
export const authorizeCharsMax = 6_000;

const knownScopes = new Set([oauthScope, "offline_access"]);

/**
 * The parameters of an authorization request for the provider. Repeated parameters stay repeated,
 * so that the provider refuses them.
 */
export function toAuthorizeParams(given: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of given) {
    if (authorizeParams.has(name)) params.append(name, toKnownResource(name, value));
  }
  const scopes = given.getAll("scope");
  // Some clients name no scope, others name scopes of identity providers. The hub has only one
  // scope, and the consent page and the answer name it.
  for (const scope of scopes.length === 0 ? [""] : scopes) {
    params.append("scope", [oauthScope, ...keepKnown(scope)].filter(isFirst).join(" "));
  }
  // Consent always needs a page, so `prompt=none` gets "login_required".
  if (given.get("prompt") === "none") params.append("prompt", "none");
  // The other modes respond with scripts or fragments, which the metadata does not offer.
  const mode = given.get("response_mode");
  if (mode !== null && mode !== "query") params.append("response_mode", "unsupported");
  return params;
}

/** The parameters of a token request for the provider. */
export function toTokenParams(given: URLSearchParams): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of given) params.append(name, toKnownResource(name, value));
  const scope = params.get("scope");
  if (scope === null) return params;
  // A refresh may name the scope of the first request, even if less was granted.
  const kept = keepKnown(scope).filter((known) => known === oauthScope);
  if (kept.length > 0) params.set("scope", kept.join(" "));
  else if (keepKnown(scope).length > 0 || scope.trim() === "") params.delete("scope");
  return params;
}

/** A client that was given the address with a slash at its end names this one. */
function toKnownResource(name: string, value: string): string {
  return name === "resource" ? withoutLastSlash(value) : value;
}

function keepKnown(scope: string): string[] {
  return scope.split(" ").filter((one) => knownScopes.has(one));
}

function isFirst(value: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(value) === index;
}
