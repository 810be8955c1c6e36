import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Short, because the paths of sockets in such a folder may have 108 bytes. */
const prefix = "hub-t-";
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The name for the folder of a process: with its PID namespace, because containers that share the memory each have their own
 * process 100.
 */
export function toFolderName(pid = process.pid, namespace = findNamespace()): string {
  return `${prefix}${namespace}-${pid}`;
}

/**
 * Removes what killed processes left in `memory`: folders of this PID namespace whose process is gone, and all that have not
 * changed for a day. The processes of other namespaces cannot be seen.
 */
export function sweepFastFolder(memory: string, nowMs = Date.now()): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(memory, name);
    const isLeft = isRunning(name) === false || (isRunning(name) === null && isOld(path, nowMs));
    if (isLeft) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether the process of a folder runs; null if this process cannot see it. */
function isRunning(name: string): boolean | null {
  const [namespace, pid] = name.slice(prefix.length).split("-");
  const own = findNamespace();
  return own === "unknown" || namespace !== own ? null : existsSync(`/proc/${pid}`);
}

function isOld(path: string, nowMs: number): boolean {
  const status = statSync(path, { throwIfNoEntry: false });
  return status !== undefined && nowMs - status.mtimeMs > dayMs;
}

/** The number of the PID namespace; `unknown` where `/proc` does not show the processes of this one. */
function findNamespace(): string {
  try {
    if (readlinkSync("/proc/self") !== String(process.pid)) return "unknown";
    const number = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    return number === undefined ? "unknown" : Number(number).toString(36);
  } catch {
    return "unknown";
  }
}
