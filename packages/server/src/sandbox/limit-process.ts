import { dlopen, ptr } from "bun:ffi";
import { writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { listLibcNames } from "../lib/process/libc-names.ts";

/** Numbers of Linux. macOS has others for some. */
const isLinux = process.platform === "linux";
const limits = {
  cpu: 0,
  fileBytes: 1,
  core: 4,
  files: isLinux ? 7 : 8,
};
const options = { dieWithParent: 1, noNewPrivileges: 38 };

/** More than the 500 scripts of a process may take together, with 10 s each. */
const cpuSecondsMax = 7200;

type Libc = {
  setrlimit(kind: number, limit: Uint8Array): number;
  prctl(option: number, value: bigint): number;
};

const setrlimitType = { args: ["i32", "ptr"], returns: "i32" } as const;
const prctlType = { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" } as const;

let libc: Libc | null = null;

/**
 * Takes from this process what scripts do not need, in case one of them breaks out of the interpreter.
 * Returns whether the system has taken it.
 */
export function limitProcess(): boolean {
  // The hub stays quick while scripts use all cores.
  ignoreFailure(() => setPriority(constants.priority.PRIORITY_BELOW_NORMAL));
  process.chdir("/");
  libc = openLibc();
  if (libc === null) return false;
  let isLimited = true;
  if (isLinux) {
    const SIGKILL = BigInt(constants.signals.SIGKILL);
    isLimited = libc.prctl(options.dieWithParent, SIGKILL) === 0 && isLimited;
    isLimited = libc.prctl(options.noNewPrivileges, 1n) === 0 && isLimited;
    // If the machine runs out of memory, this process ends first.
    ignoreFailure(() => writeFileSync("/proc/self/oom_score_adj", "1000"));
  }
  isLimited = setLimit(limits.core, 0) && isLimited;
  isLimited = setLimit(limits.fileBytes, 0) && isLimited;
  // No file and no socket can be opened.
  isLimited = setLimit(limits.files, 0) && isLimited;
  return isLimited;
}

/** From now on, the process may use this much. The system ends it if its parent cannot. */
export function allowCpuSeconds(seconds: number): void {
  const { user, system } = process.cpuUsage();
  setLimit(limits.cpu, Math.ceil((user + system) / 1_000_000) + seconds, cpuSecondsMax);
}

function setLimit(kind: number, soft: number, hard = soft): boolean {
  const limit = new Uint8Array(new BigUint64Array([BigInt(soft), BigInt(hard)]).buffer);
  return libc?.setrlimit(kind, limit) === 0;
}

function openLibc(): Libc | null {
  for (const name of listLibcNames()) {
    try {
      const { symbols } = dlopen(name, { setrlimit: setrlimitType });
      const { prctl } = isLinux ? dlopen(name, { prctl: prctlType }).symbols : { prctl: () => -1 };
      return {
        setrlimit: (kind, limit) => symbols.setrlimit(kind, ptr(limit)),
        prctl: (option, value) => Number(prctl(option, value, 0n, 0n, 0n)),
      };
    } catch {
      // The next one.
    }
  }
  return null;
}

function ignoreFailure(action: () => void): void {
  try {
    action();
  } catch {
    // The other limits hold without it.
  }
}
