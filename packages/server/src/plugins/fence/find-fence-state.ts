import { findAccount } from "./find-account.ts";
import { findLandlockVersion } from "./landlock.ts";
import type { Account } from "./launch-plan.ts";
import type { LimitsState } from "./program-limits.ts";
import { openSystemCalls } from "./system-calls.ts";

/** What keeps programs away from the hub. Both may be in force. */
export type FenceState = {
  /** The version of Landlock; 0 if this system has none. */
  landlock: number | "off";
  /** The user who runs programs; null for the hub's own. */
  user: Account | null;
  /** Why no program starts, as a sentence without its full stop. */
  fault: string | null;
  /** Null if programs have no limits. */
  limits: LimitsState | null;
};

export type StateDeps = {
  mode: "auto" | "required" | "off";
  /** HUB_PLUGIN_USER. */
  user?: string | null;
  /** Replaced in tests. */
  findVersion?(): number;
};

/** What this system has to keep programs away, but for limits. */
export function findFenceState({
  mode,
  user = null,
  findVersion = findVersionHere,
}: StateDeps): Omit<FenceState, "limits"> {
  const landlock = mode === "off" ? "off" : findVersion();
  if (user !== null) return { landlock, ...toUser(user) };
  const fault =
    landlock === 0 && mode === "required"
      ? "This system has no fence for programs, and HUB_PLUGIN_FENCE is required"
      : null;
  return { landlock, user: null, fault };
}

/** A user who cannot be had is a fault: programs must not run as the hub's user then. */
function toUser(text: string): Pick<FenceState, "user" | "fault"> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    return { user: null, fault: "HUB_PLUGIN_USER needs a hub that runs as root on Linux" };
  }
  const user = findAccount(text);
  const fault = `HUB_PLUGIN_USER is ${text}, which is no user of this machine other than root`;
  return { user, fault: user === null ? fault : null };
}

function findVersionHere(): number {
  if (process.platform !== "linux") return 0;
  const calls = openSystemCalls();
  return calls === null ? 0 : findLandlockVersion(calls);
}
