import { oauthScope } from "../endpoints.ts";
import { TokenRefusal } from "./token-refusal.ts";

/** The parameters of a token request, each at most once. */
export type TokenParams = ReadonlyMap<string, string>;

/** Throws `invalid_request` for a repeated parameter: two readers could take different ones. */
export function readTokenParams(given: URLSearchParams): TokenParams {
  const params = new Map<string, string>();
  for (const [name, value] of given) {
    if (params.has(name)) throw new TokenRefusal("invalid_request", `repeated parameter: ${name}`);
    params.set(name, value);
  }
  return params;
}

/** The hub has one scope and one resource. Without them, these are meant. */
export function checkTarget(params: TokenParams, resource: string): void {
  const asked = params.get("resource");
  if (asked !== undefined && asked !== resource) {
    throw new TokenRefusal("invalid_target", `the resource of this server is ${resource}`);
  }
  const scopes = params.get("scope")?.split(" ").filter(Boolean) ?? [];
  if (scopes.length > 0 && !scopes.includes(oauthScope)) {
    throw new TokenRefusal("invalid_scope", `the scope of this server is ${oauthScope}`);
  }
}
