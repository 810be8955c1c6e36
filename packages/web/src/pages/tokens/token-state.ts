import type { Token } from "@hub/contract/token.ts";

export type TokenState = "active" | "expired" | "revoked";

/** Whether a token works. */
export function findTokenState(
  { revoked_at, expires_at }: Pick<Token, "revoked_at" | "expires_at">,
  now: number,
): TokenState {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active";
}
