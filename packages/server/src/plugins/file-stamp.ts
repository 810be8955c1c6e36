import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

/** Tells a file from any other and from what it was before, without reading it. */
export type FileStamp = string;

/** Null when there is nothing. Links are not followed. */
export async function findFileStamp(path: string): Promise<FileStamp | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null ? null : toFileStamp(stats);
}

/**
 * As `findFileStamp`, of a file that has been left alone for a moment: a system's clock for files
 * ticks slowly, and two changes within one tick leave the same stamp. Null where it has not.
 */
export async function findSettledStamp(path: string, now: number): Promise<FileStamp | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return null;
  const ageMs = now - Number(stats.ctimeNs / 1_000_000n);
  const tickMs = stats.ctimeNs % 1_000_000_000n === 0n ? coarseTickMs : fineTickMs;
  return ageMs > tickMs ? toFileStamp(stats) : null;
}

/** Ten milliseconds on the slowest kernels, with room. */
const fineTickMs = 50;
/** Where times have no fractions, they may count pairs of seconds. */
const coarseTickMs = 3000;

/** The time of the last change is in it: unlike that of the last write, no program can set it back. */
function toFileStamp(stats: BigIntStats): FileStamp {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(".");
}
