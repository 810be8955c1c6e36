import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** Of 19, the lowest. A process with it gets a tenth of a busy processor. */
const lowPriority = 10;

/**
 * Lets other processes go first wherever they wait for a processor. On Linux, each thread has a priority, and new
 * ones get that of the thread that starts them. An unprivileged process cannot take it back.
 */
export function lowerPriority(): void {
  for (const id of listThreads()) {
    try {
      if (getPriority(id) < lowPriority) setPriority(id, lowPriority);
    } catch {
      // The thread has ended, or the system does not allow it.
    }
  }
}

function listThreads(): number[] {
  if (process.platform !== "linux") return [process.pid];
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return [process.pid];
  }
}
