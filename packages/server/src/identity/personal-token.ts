import { randomBytes } from "node:crypto";
import { hashToken } from "./authenticate-bearer.ts";

/** A new personal access token. `token` is shown once and never stored. */
export type NewPersonalToken = { token: string; tokenHash: Uint8Array; lastFour: string };

export function createPersonalToken(): NewPersonalToken {
  const token = `hub_pat_${randomBytes(16).toString("hex")}`;
  return { token, tokenHash: hashToken(token), lastFour: token.slice(-4) };
}
