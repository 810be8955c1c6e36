import { statfs } from "node:fs/promises";

/** Below this, the disk of the data folder is almost full. */
const bytesWarn = 1024 ** 3;
/** Below this, calls will soon fail, because a call that cannot be recorded does not run. */
const bytesFail = 64 * 1024 ** 2;

export type FreeSpace = { bytes: number; status: "ok" | "warn" | "fail" };

/** The free space on the disk of a folder for this user. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder);
  return toFreeSpace(bavail * bsize);
}

export function toFreeSpace(bytes: number): FreeSpace {
  if (bytes > bytesWarn) return { bytes, status: "ok" };
  return { bytes, status: bytes > bytesFail ? "warn" : "fail" };
}

/** Describes the free space, with advice if it is low. Only for readers who may see paths. */
export function describeFreeSpace({ bytes, status }: FreeSpace, folder: string): string {
  const free = `${Math.floor(bytes / 1024 ** 2)} MiB free on the disk of ${folder}`;
  if (status === "ok") return free;
  return `${free}. When the disk is full, calls fail, because every call must be recorded. Free space on the disk, move the data folder to a larger disk (HUB_DATA_DIR), or keep fewer runs: \`hub setting set HUB_AUDIT_BYTES_MAX BYTES\` or \`hub setting set HUB_AUDIT_RETENTION_DAYS DAYS\`. The database reuses the space of deleted runs; its file does not shrink.`;
}
