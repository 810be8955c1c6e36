import { readFileSync } from "node:fs";

/** Polls for a condition without an event, such as the end of another process's child. */
export async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

export function isRunning(pid: number): boolean {
  // A program for each look would take most of the processor time of a wait.
  if (process.platform === "linux") return /^\d+ \(.*\) [^Z]/s.test(readStat(pid));
  const state = Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
    .stdout.toString()
    .trim();
  return state !== "" && !state.startsWith("Z");
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return "";
  }
}
