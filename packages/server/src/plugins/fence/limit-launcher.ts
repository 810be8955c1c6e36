import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchLimits } from "./launch-plan.ts";
import type { SystemCalls } from "./system-calls.ts";
import { checkCall } from "./system-calls.ts";

const prlimit = process.arch === "arm64" ? 261 : 302;
const dataLimit = 2;
const tasksLimit = 6;
/** The kernel then ends a program before the hub, if the machine has no memory left. */
const endFirst = 500;

/** Enters the program's cgroup. Throws if the system refuses it. */
export function enterGroup({ group }: LaunchLimits): void {
  // 0 is the process that writes.
  if (group !== null) writeFileSync(join(group, "cgroup.procs"), "0");
  try {
    const path = "/proc/self/oom_score_adj";
    if (Number(readFileSync(path, "utf8")) < endFirst) writeFileSync(path, String(endFirst));
  } catch {
    // A small container may have no such file.
  }
}

/** Limits the tasks of this process's user together. Throws if the system refuses it. */
export function limitTasks(calls: Pick<SystemCalls, "call">, { userTasks }: LaunchLimits): void {
  if (userTasks === null) return;
  const limit = toLimit(calls, tasksLimit, userTasks);
  checkCall("prlimit", calls.call(prlimit, 0, tasksLimit, limit, 0));
}

/** The last call before the program: this process itself may have more than the limit. Null if there is none. */
export function prepareDataLimit(
  calls: Pick<SystemCalls, "call">,
  { dataBytes }: LaunchLimits,
): { number: number; kind: number; limit: BigUint64Array } | null {
  if (dataBytes === null) return null;
  return { number: prlimit, kind: dataLimit, limit: toLimit(calls, dataLimit, dataBytes) };
}

/** A lower limit that is in force already stays, also for root. */
function toLimit(calls: Pick<SystemCalls, "call">, kind: number, wanted: number): BigUint64Array {
  const found = new BigUint64Array(2);
  checkCall("prlimit", calls.call(prlimit, 0, kind, 0, found));
  const lowest = [...found, BigInt(wanted)].reduce((least, one) => (one < least ? one : least));
  return new BigUint64Array([lowest, lowest]);
}
