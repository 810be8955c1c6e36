import { describeFreeSpace, type FreeSpace, readFreeSpace } from "../lib/files/free-space.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Job } from "./create-jobs.ts";

type DiskDeps = {
  dataDir: string;
  /** `HUB_DISK_FREE_BYTES_MIN`. */
  bytesMin: number;
  log: Pick<Log, "warn">;
  readFree?: (folder: string, bytesMin: number) => Promise<FreeSpace>;
};

/** Logs a warning, at start and daily, when the disk of the data folder is almost full. */
export function createDiskJob({ dataDir, bytesMin, log, readFree = readFreeSpace }: DiskDeps): Job {
  return {
    name: "check-disk",
    everyMs: 24 * 60 * 60 * 1000,
    runsAtStart: true,
    async run() {
      const free = await readFree(dataDir, bytesMin);
      if (free.status === "ok") return;
      const { bytes: freeBytes } = free;
      log.warn({ freeBytes, advice: describeFreeSpace(free, dataDir) }, "The disk is almost full");
    },
  };
}
