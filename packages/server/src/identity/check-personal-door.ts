import type { Actor } from "../changes/actor.ts";
import { HubError } from "../errors.ts";

/** A person who decides: in a signed-in browser, by a linked chat account, or at the hub's machine. */
export type DecidingActor = Pick<Actor, "userId" | "email" | "tokenId" | "via" | "ip" | "freshAt">;

/** Throws unless a person acts, and no model or program, through one of these doors. */
export function checkPersonalDoor(
  { via, tokenId }: DecidingActor,
  doors: ReadonlySet<Actor["via"]>,
  refusal: string,
): void {
  if (doors.has(via) && tokenId === null) return;
  throw new HubError("forbidden", refusal);
}
