import type { Job } from "./create-jobs.ts";

const everyMs = 5_000;
const growthBytesMax = 128 * 1024 * 1024;

/** The memory of this process. */
export type Memory = { residentBytes(): number; collect(): void };

export const processMemory: Memory = {
  residentBytes: () => process.memoryUsage.rss(),
  collect: () => Bun.gc(true),
};

/**
 * Frees memory after a burst: large results leave garbage that the engine would keep until it needs
 * that much memory again. A collection blocks the event loop for about 50 ms, so it runs only after
 * large growth.
 */
export function createMemoryJob({ memory }: { memory: Memory }): Job {
  let keptBytes = memory.residentBytes();
  return {
    name: "memory",
    everyMs,
    runsAtStart: false,
    async run() {
      keptBytes = Math.min(keptBytes, memory.residentBytes());
      if (memory.residentBytes() - keptBytes <= growthBytesMax) return;
      memory.collect();
      keptBytes = memory.residentBytes();
    },
  };
}
