import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";

/** Tells a file from any other and from what it was before, without reading it. */
export type FileStamp = string;

/** Null when there is nothing. Links are not followed. */
export async function findFileStamp(path: string): Promise<FileStamp | null> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  return stats === null ? null : toFileStamp(stats);
}

/** The time of the last change is in it: unlike that of the last write, no program can set it back. */
export function toFileStamp(stats: BigIntStats): FileStamp {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(".");
}
