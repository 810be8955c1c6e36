import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const keptMax = 4;

/** Removes the oldest bundles of a name, except those that a running program still loads from. */
export function pruneBundles(cache: string, name: string): void {
  const folders = readdirSync(cache)
    .filter((each) => new RegExp(`^${name}-[0-9a-f]+$`).test(each))
    .map((each) => join(cache, each))
    .map((path) => ({ path, bornMs: statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0 }))
    .sort((one, other) => other.bornMs - one.bornMs);
  for (const { path } of folders.slice(keptMax)) {
    if (!isInUse(path)) rmSync(path, { recursive: true, force: true });
  }
}

function isInUse(folder: string): boolean {
  try {
    return readdirSync(join(folder, "pids")).some((pid) => isRunning(Number(pid)));
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    // EPERM means that the process runs as another user.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
