import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

/** Identifies a file and its version without reading it. */
export type FileStamp = string;

/** Null if the file does not exist. Links are not followed. */
export async function findFileStamp(path: string): Promise<FileStamp | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null ? null : toFileStamp(stats);
}

/**
 * Like `findFileStamp`, but null for a file that has just changed: file systems have coarse clocks,
 * and two changes within one tick have the same stamp.
 */
export async function findStableStamp(path: string, now: number): Promise<FileStamp | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return null;
  const ageMs = now - Number(stats.ctimeNs / 1_000_000n);
  const tickMs = stats.ctimeNs % 1_000_000_000n === 0n ? coarseTickMs : fineTickMs;
  return ageMs > tickMs ? toFileStamp(stats) : null;
}

/** The slowest kernels have ticks of ten milliseconds. */
const fineTickMs = 50;
/** File systems without fractions of seconds may count in steps of two seconds. */
const coarseTickMs = 3000;

/** Includes ctime, because programs can set mtime back but not ctime. */
function toFileStamp(stats: BigIntStats): FileStamp {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(".");
}
