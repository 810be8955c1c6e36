import { readdirSync, readFileSync } from "node:fs";
import { findProcess, type ProcessIdentity } from "../../lib/process/process-identity.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";

/** Variable with the random id of a program's start. What the program starts inherits it. */
export const markVariable = "PLUGIN_MARK";

const passesMax = 20;

/**
 * Ends all processes whose environment has a mark that begins with `mark`, also those that have left the process group
 * of their program. Only on Linux. Returns their number. Each is named by its pid and start time. They are stopped
 * first, so that they cannot start others meanwhile. The event loop gets turns: a machine may have many processes.
 */
export async function endMarked(mark: string): Promise<number> {
  if (process.platform !== "linux" || mark === "") return 0;
  const found = new Map<string, ProcessIdentity>();
  for (let pass = 0; pass < passesMax; pass += 1) {
    let fresh = 0;
    for await (const one of listMarked(mark)) {
      if (found.has(toKey(one))) continue;
      fresh += 1;
      found.set(toKey(one), one);
      signal(one, "SIGSTOP");
    }
    // A process that runs another program at this moment shows no environment: two passes see it.
    if (fresh === 0 && pass > 0) break;
  }
  for (const one of found.values()) signal(one, "SIGKILL");
  return found.size;
}

const toKey = ({ pid, startedAt }: ProcessIdentity) => `${pid} ${startedAt}`;

/** How many processes are looked at in one turn of the event loop. */
const processesOfTurn = 50;

async function* listMarked(mark: string): AsyncGenerator<ProcessIdentity> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.map(Number).entries()) {
    if (index % processesOfTurn === processesOfTurn - 1) await yieldToEventLoop();
    if (pid === process.pid || !hasMark(pid, mark)) continue;
    const one = findProcess(pid);
    // The process that was found is the one with the mark.
    if (one !== null && hasMark(pid, mark) && findProcess(pid)?.startedAt === one.startedAt) {
      yield one;
    }
  }
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
