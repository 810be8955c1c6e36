import type { Caller } from "../caller.ts";
import type { HotReads } from "../store/hot-reads.ts";
import { isActive, toCaller } from "./to-caller.ts";

/**
 * The caller for a user who comes without a token, such as `hub mcp serve --user`. Read anew for
 * every request; null when the user is gone or not active any more.
 */
export async function findCaller(
  deps: { reads: Pick<HotReads, "findUserAccess"> },
  userId: string,
): Promise<Caller | null> {
  const user = await deps.reads.findUserAccess(userId);
  return user === null || !isActive(user) ? null : toCaller(user, null);
}
