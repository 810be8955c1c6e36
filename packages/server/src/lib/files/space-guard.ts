import { statfsSync } from "node:fs";
import { HubError } from "../../errors.ts";
import type { Log } from "../logs/create-log.ts";

/**
 * Keeps the last free space of a disk for work that has begun: its end must be recorded. Reads, sign-in and deletion
 * need no permission.
 */
export type SpaceGuard = {
  /**
   * Throws `insufficient_storage` with `retry_after_s` while the disk has less free space than it must have, or would
   * have with these bytes, which the caller stores now.
   */
  requireSpace(bytes?: number): void;
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

/** How long a reading is good for. A fast disk takes some gigabytes a second. */
const readingMs = 20;
/** So long after its permission, what is stored is on the disk. */
const storedAfterMs = 1_000;
/** The database writes to its log first. */
const copies = 2;
const retryAfterS = 30;

export function createSpaceGuard({
  folder,
  bytesMin,
  log,
  readMs = () => performance.now(),
  readFree = readFreeBytes,
}: SpaceDeps): SpaceGuard {
  let readAt = Number.NEGATIVE_INFINITY;
  let freeBytes = Number.POSITIVE_INFINITY;
  let isLow = false;
  /** What may be on its way to the disk, the oldest first; one entry for each reading. */
  const permitted: Array<{ at: number; bytes: number }> = [];
  let permittedBytes = 0;

  function read(): void {
    try {
      freeBytes = readFree(folder);
    } catch {
      // Work fails by itself if the disk is gone.
      return;
    }
    const isLowNow = freeBytes < bytesMin;
    const facts = { freeBytes, bytesMin };
    if (isLowNow && !isLow) log.warn(facts, "The disk is almost full: new work is refused");
    if (isLow && !isLowNow) log.info(facts, "The disk has space again: new work is taken");
    isLow = isLowNow;
  }

  function forgetStored(at: number): void {
    for (let [first] = permitted; first && at - first.at > storedAfterMs; [first] = permitted) {
      permittedBytes -= first.bytes;
      permitted.shift();
    }
  }

  function permit(bytes: number): void {
    const last = permitted.at(-1);
    if (last?.at === readAt) last.bytes += bytes;
    else permitted.push({ at: readAt, bytes });
    permittedBytes += bytes;
  }

  return {
    requireSpace(bytes = 0) {
      if (bytesMin === 0) return;
      const at = readMs();
      if (at - readAt >= readingMs) {
        readAt = at;
        read();
        forgetStored(at);
      }
      if (isLow || freeBytes - copies * (permittedBytes + bytes) < bytesMin) throw refuseWork();
      if (bytes > 0) permit(bytes);
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
