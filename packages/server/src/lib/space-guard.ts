import { statfsSync } from "node:fs";
import { HubError } from "../errors.ts";
import type { Log } from "./create-log.ts";

/**
 * Keeps the last free space of a disk for work that has begun: its end must be recorded. Reads, sign-in and deletion
 * need no permission.
 */
export type SpaceGuard = {
  /** Throws `insufficient_storage` with `retry_after_s` while the disk has less free space than it must have. */
  requireSpace(): void;
};

type SpaceDeps = {
  /** The folder whose disk is meant. */
  folder: string;
  /** `HUB_DISK_FREE_BYTES_MIN`; 0 lets all work begin. */
  bytesMin: number;
  log: Pick<Log, "warn" | "info">;
  /** A clock for durations. */
  readMs?: () => number;
  /** The free bytes on the disk of a folder. */
  readFree?: (folder: string) => number;
};

/** How long a reading is good for: a disk does not fill in this time. */
const readingMs = 1_000;
const retryAfterS = 30;

export function createSpaceGuard({
  folder,
  bytesMin,
  log,
  readMs = () => performance.now(),
  readFree = readFreeBytes,
}: SpaceDeps): SpaceGuard {
  let readAt = Number.NEGATIVE_INFINITY;
  let isLow = false;

  function read(): void {
    let freeBytes: number;
    try {
      freeBytes = readFree(folder);
    } catch {
      // Work fails by itself if the disk is gone.
      return;
    }
    const isLowNow = freeBytes < bytesMin;
    const facts = { freeBytes, bytesMin };
    if (isLowNow && !isLow) log.warn(facts, "The disk is almost full: new work is refused");
    if (isLow && !isLowNow) log.info(facts, "The disk has room again: new work is taken");
    isLow = isLowNow;
  }

  return {
    requireSpace() {
      if (bytesMin === 0) return;
      const at = readMs();
      if (at - readAt >= readingMs) {
        readAt = at;
        read();
      }
      if (isLow) throw refuseWork();
    },
  };
}

/** For hubs whose data is on another machine, and for tests. */
export const noSpaceGuard: SpaceGuard = { requireSpace() {} };

function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function refuseWork(): HubError {
  return new HubError(
    "insufficient_storage",
    "The disk of the hub is almost full, so it takes no new work. Reading, signing in and deleting go on. Ask an admin of the hub to free space on its disk, and try again later.",
    { detail: { retry_after_s: retryAfterS } },
  );
}
