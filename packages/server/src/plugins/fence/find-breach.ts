import { closeSync, openSync, readSync } from "node:fs";
import type { FenceBreach, FenceProbe } from "./launch-plan.ts";

/** Tries to read each file and to signal the process. Signal 0 does nothing there. */
export function findBreach({ files, pid }: FenceProbe): FenceBreach {
  return { files: files.filter(canRead), signals: canSignal(pid) };
}

function canRead(path: string): boolean {
  try {
    const file = openSync(path, "r");
    readSync(file, new Uint8Array(1));
    closeSync(file);
    return true;
  } catch {
    return false;
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
