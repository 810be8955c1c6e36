import type { Job } from "./create-jobs.ts";

const everyMs = 5_000;
const growthBytesMax = 128 * 1024 * 1024;
/** Growth that is collected under load too. */
const busyGrowthBytesMax = 4 * growthBytesMax;
/** A process that uses more of one core is busy. */
const busyShareMin = 0.2;

/** This process. */
export type Memory = {
  residentBytes(): number;
  /** The processor time used since the start. */
  processorMs(): number;
  collect(): void;
};

export const processMemory: Memory = {
  residentBytes: () => process.memoryUsage.rss(),
  processorMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  collect: () => Bun.gc(true),
};

/**
 * Frees memory after a burst: large results leave garbage that the engine would keep until it needs
 * that much memory again. A collection blocks the event loop for about 50 ms, so it runs only after
 * large growth, and under load only after very large growth.
 */
export function createMemoryJob({ memory }: { memory: Memory }): Job {
  let keptBytes = memory.residentBytes();
  let processorMs = memory.processorMs();

  function isBusy(): boolean {
    const before = processorMs;
    processorMs = memory.processorMs();
    return processorMs - before > busyShareMin * everyMs;
  }

  return {
    name: "memory",
    everyMs,
    runsAtStart: false,
    async run() {
      const growthMax = isBusy() ? busyGrowthBytesMax : growthBytesMax;
      keptBytes = Math.min(keptBytes, memory.residentBytes());
      if (memory.residentBytes() - keptBytes <= growthMax) return;
      memory.collect();
      keptBytes = memory.residentBytes();
    },
  };
}
