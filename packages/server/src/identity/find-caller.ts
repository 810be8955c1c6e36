import type { Caller, Principal } from "../caller.ts";
import type { HotReads } from "../store/database/hot-reads.ts";
import { isActive, toCaller } from "./to-caller.ts";

/**
 * The caller for a user without a token, such as with `hub mcp serve --user`. Read for every
 * request; null if the user is deleted or no longer active.
 */
export async function findCaller(
  deps: { reads: Pick<HotReads, "findUserAccess"> },
  userId: string,
  kind?: Principal["kind"],
): Promise<Caller | null> {
  const user = await deps.reads.findUserAccess(userId);
  return user === null || !isActive(user) ? null : toCaller(user, null, kind);
}
