import { readdirSync, readFileSync } from "node:fs";

/** Only Linux tells what another process holds. */
export const isUsageKnown = process.platform === "linux";

/** To stand at the end of the title of a test that cannot be run elsewhere. */
export const usageSkipReason = isUsageKnown
  ? ""
  : " (skipped: only Linux tells what a process holds)";

export type ProcessUsage = { residentMiB: number; descriptors: number };

/** What a running process holds right now. */
export function readUsage(pid: number): ProcessUsage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
  return {
    residentMiB: kibibytes / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** How many descriptors it may hold. */
export function readDescriptorLimit(pid: number): number {
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
}
