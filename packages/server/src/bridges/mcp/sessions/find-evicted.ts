import { UpstreamError } from "@hub/connector";
import type { SessionSlot, SessionTarget } from "./session-slot.ts";

/** A server that never answers must leave sessions to other rows. */
const rowShare = 3 / 4;

export type SessionLimits = {
  /** Limit of all sessions. */
  sessionsMax: number;
  /** Limit of the sessions that are processes. */
  processesMax: number;
};

/**
 * The session that ends for a new one: the least recently used idle one, if there are too many of all rows or of
 * this one. Null if there is capacity. Throws if there is none and no session is idle.
 */
export function findEvicted(
  slots: ReadonlySet<SessionSlot>,
  { rowId, isProcess }: Pick<SessionTarget, "rowId" | "isProcess">,
  { sessionsMax, processesMax }: SessionLimits,
): SessionSlot | null {
  const all = [...slots];
  const ofKind = isProcess ? all.filter(({ target }) => target.isProcess) : all;
  const ofRow = all.filter(({ target }) => target.rowId === rowId);
  const kindMax = isProcess ? processesMax : sessionsMax;
  if (ofRow.length >= Math.ceil(kindMax * rowShare)) {
    return findOldest(
      ofRow,
      "This row has too many sessions in use. Try again in a few seconds. An admin can let its users share one.",
    );
  }
  if (ofKind.length < kindMax && all.length < sessionsMax) return null;
  return findOldest(
    ofKind.length >= kindMax ? ofKind : all,
    "The hub has too many sessions with MCP servers in use. Try again in a few seconds.",
  );
}

/** Throws with these words if none is idle. */
function findOldest(among: readonly SessionSlot[], refusal: string): SessionSlot {
  const idle = among.filter(
    ({ calls, isRetired, session }) => calls === 0 && !isRetired && session !== null,
  );
  const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
  if (oldest === undefined) throw new UpstreamError(refusal);
  return oldest;
}
