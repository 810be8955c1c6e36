import { readdirSync, readFileSync } from "node:fs";
import { findProcess, type ProcessIdentity } from "./process-identity.ts";

/** Variable with the random id of a program's start. What the program starts inherits it. */
export const markVariable = "PLUGIN_MARK";

const passesMax = 20;

/**
 * Ends all processes whose environment has a mark that begins with `mark`, also those that have left the process group
 * of their program. Only on Linux. Returns their number. Each is named by its pid and start time. They are stopped
 * first, so that they cannot start others meanwhile.
 */
export function endMarked(mark: string): number {
  if (process.platform !== "linux" || mark === "") return 0;
  const found = new Map<string, ProcessIdentity>();
  for (let pass = 0; pass < passesMax; pass += 1) {
    const fresh = listMarked(mark).filter((one) => !found.has(toKey(one)));
    // A process that runs another program at this moment shows no environment: two passes see it.
    if (fresh.length === 0 && pass > 0) break;
    for (const one of fresh) {
      found.set(toKey(one), one);
      signal(one, "SIGSTOP");
    }
  }
  for (const one of found.values()) signal(one, "SIGKILL");
  return found.size;
}

const toKey = ({ pid, startedAt }: ProcessIdentity) => `${pid} ${startedAt}`;

function listMarked(mark: string): ProcessIdentity[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).flatMap((pid) => {
    if (pid === process.pid) return [];
    const before = findProcess(pid);
    if (before === null || !hasMark(pid, mark)) return [];
    // The environment that was read is that of this process.
    return findProcess(pid)?.startedAt === before.startedAt ? [before] : [];
  });
}

function hasMark(pid: number, mark: string): boolean {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.some((entry) => entry.startsWith(`${markVariable}=${mark}`));
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

function signal({ pid, startedAt }: ProcessIdentity, name: "SIGSTOP" | "SIGKILL"): void {
  if (findProcess(pid)?.startedAt !== startedAt) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
