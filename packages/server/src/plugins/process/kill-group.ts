/**
 * Ends a process that leads a group, and those that it has started in it. False if there is no such
 * group.
 */
export function killGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32") return false;
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}
