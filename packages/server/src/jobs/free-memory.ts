import type { Job } from "./create-jobs.ts";

const everyMs = 5_000;
const growthBytesMax = 128 * 1024 * 1024;

/** The process's own memory. */
export type Memory = { residentBytes(): number; collect(): void };

export const processMemory: Memory = {
  residentBytes: () => process.memoryUsage.rss(),
  collect: () => Bun.gc(true),
};

/**
 * Hands memory back after a burst: a few huge results leave garbage that the engine would keep for
 * as long as nothing else of that size comes, several times over. Collecting holds everything up
 * for some 50 ms, so it happens only where there is much to gain.
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
