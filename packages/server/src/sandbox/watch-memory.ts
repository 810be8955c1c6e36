import { readFileSync } from "node:fs";
import type { Timers } from "../lib/time/timers.ts";
import { residentBytesMax } from "./code-limits.ts";

const memoryCheckMs = 50;
const pageBytes = 4096;

/**
 * Calls `onExcess` once a process has too much memory. The function ends the watch. Only Linux says how much it has:
 * elsewhere the limits inside of the process hold.
 */
export function watchMemory(timers: Timers, pid: number, onExcess: () => void): () => void {
  if (process.platform !== "linux") return () => {};
  let cancel = () => {};
  const check = () => {
    cancel = timers.after(memoryCheckMs, () => {
      if (readResidentBytes(pid) > residentBytesMax) onExcess();
      else check();
    });
  };
  check();
  return () => cancel();
}

function readResidentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1] ?? 0) * pageBytes;
  } catch {
    // It has ended.
    return 0;
  }
}
