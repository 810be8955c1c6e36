import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";

/** Prevents that a stolen token creates access that remains after the token is revoked. */
export function checkGivesAccess({ via }: Actor): void {
  if (via !== "token") return;
  throw new HubError(
    "forbidden",
    "A token cannot set passwords or grant the role admin. Send this request from a signed-in browser, or use `hub user` on the hub's machine.",
  );
}
