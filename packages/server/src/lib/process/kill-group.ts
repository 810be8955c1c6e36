import { findStart } from "./process-identity.ts";

/** A process that leads a group, named by its pid and its start time: the system gives pids again. */
export type GroupLeader = {
  pid: number;
  /** Null if it had ended before it could be looked at. */
  startedAt: string | null;
};

/** Names a process that this one has just started. */
export function toLeader(pid: number): GroupLeader {
  return { pid, startedAt: findStart(pid) };
}

/**
 * Ends a process that leads a group, and those that it has started in it. False if there is no such group.
 */
export function killGroup(leader: GroupLeader, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32" || isReplaced(leader)) return false;
  try {
    process.kill(-leader.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** No process gets the pid while one of the group is there: so the group of a pid that was given again has ended. */
function isReplaced({ pid, startedAt }: GroupLeader): boolean {
  const now = findStart(pid);
  return now !== null && now !== startedAt;
}
