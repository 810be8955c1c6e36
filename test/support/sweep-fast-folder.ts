import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Short, because programs under test make sockets below such a folder, whose paths may have few characters. */
const folderName = /^ht-([0-9a-z]+)-([0-9a-z]+)$/;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * The name for the folder of a process: with its PID namespace, because containers that share the memory each have their own
 * process 100.
 */
export function toFolderName(pid = process.pid, namespace = findNamespace()): string {
  return `ht-${namespace}-${pid.toString(36)}`;
}

/**
 * Removes what killed processes left in `memory`: folders of this PID namespace whose process is gone, and all that have not
 * changed for a day. The processes of other namespaces cannot be seen.
 */
export function sweepFastFolder(memory: string, nowMs = Date.now()): void {
  for (const name of readdirSync(memory)) {
    const [, namespace, pid] = folderName.exec(name) ?? [];
    if (namespace === undefined || pid === undefined) continue;
    const path = join(memory, name);
    const runs = isRunning(namespace, Number.parseInt(pid, 36));
    const isLeft = runs === false || (runs === null && isOld(path, nowMs));
    if (isLeft) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether the process of a folder runs; null if this process cannot see it. */
function isRunning(namespace: string, pid: number): boolean | null {
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
