import { readdirSync, readFileSync } from "node:fs";

/** Memory and descriptors of another process can be read only on Linux. */
export const isUsageKnown = process.platform === "linux";

/** The end of the titles of tests that are skipped elsewhere. */
export const usageSkipReason = isUsageKnown ? "" : " (skipped: it needs Linux)";

export type ProcessUsage = { residentMiB: number; descriptors: number };

/** Reads the current memory and number of descriptors of a process. */
export function readUsage(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return {
    residentMiB: kibibytes / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Reads the descriptor limit of a process. */
export function readDescriptorLimit(pid: number): number {
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
}
