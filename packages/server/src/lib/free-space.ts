import { statfs } from "node:fs/promises";

/** With less than this, the disk of the data folder is almost full. */
const bytesWarn = 1024 ** 3;
/** With less than this, calls fail soon: none runs that cannot be recorded. */
const bytesFail = 64 * 1024 ** 2;

export type FreeSpace = { bytes: number; status: "ok" | "warn" | "fail" };

/** What the disk of a folder has left for this user. */
export async function readFreeSpace(folder: string): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder);
  return toFreeSpace(bavail * bsize);
}

export function toFreeSpace(bytes: number): FreeSpace {
  if (bytes > bytesWarn) return { bytes, status: "ok" };
  return { bytes, status: bytes > bytesFail ? "warn" : "fail" };
}

/** With what to do, unless all is well. `folder` is for readers who may see paths. */
export function describeFreeSpace({ bytes, status }: FreeSpace, folder: string): string {
  const free = `${Math.floor(bytes / 1024 ** 2)} MiB free on the disk of ${folder}`;
  if (status === "ok") return free;
  return `${free}. Calls fail when it is full, since no call runs that cannot be recorded. Free space there, move the data folder to a larger disk (HUB_DATA_DIR), or keep fewer runs: \`hub setting set HUB_AUDIT_BYTES_MAX BYTES\` or \`hub setting set HUB_AUDIT_RETENTION_DAYS DAYS\`. The database reuses the space of deleted runs; its file does not shrink.`;
}
