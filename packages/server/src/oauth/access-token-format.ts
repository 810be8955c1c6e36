import type Provider from "oidc-provider";
import { createHubToken } from "../lib/create-hub-token.ts";

/**
 * Gives access tokens the form `hub_oat_<32 hex>`, for which the library has no documented option.
 * The original method is still called, because it also stores the token's format. A contract test
 * fails if a new version of the library does this elsewhere.
 */
export function setAccessTokenFormat(provider: Provider): void {
  // Undocumented, so the library's types do not know it.
  const prototype = provider.AccessToken.prototype as unknown as { generateTokenId(): string };
  const generate = prototype.generateTokenId;
  prototype.generateTokenId = function generateTokenId() {
    generate.call(this);
    return createHubToken("oat");
  };
}
