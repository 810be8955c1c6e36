import { createHubToken } from "../lib/create-hub-token.ts";
import { hashToken } from "./authenticate-bearer.ts";

/** A new personal access token. `token` is shown once and never stored. */
export type NewPersonalToken = { token: string; tokenHash: Uint8Array; lastFour: string };

/** With bounds, or of a service user, it has another form: see `authenticateBearer`. */
export function createPersonalToken({ isLimited = false } = {}): NewPersonalToken {
  const token = createHubToken(isLimited ? "pbt" : "pat");
  return { token, tokenHash: hashToken(token), lastFour: token.slice(-4) };
}
