import { statfs } from "node:fs/promises";

/** Below this, the disk of the data folder is almost full. */
const bytesWarn = 1024 ** 3;
/** Below this, calls will soon fail, because a call that cannot be recorded does not run. */
const bytesFail = 64 * 1024 ** 2;
const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

export type FreeSpace = {
  bytes: number;
  /** `HUB_DISK_FREE_BYTES_MIN`: with less free space, new work is refused. 0 if it never is. */
  bytesMin: number;
  status: "ok" | "warn" | "fail";
};

/** The free space on the disk of a folder for this user. */
export async function readFreeSpace(folder: string, bytesMin: number): Promise<FreeSpace> {
  const { bavail, bsize } = await statfs(folder);
  return toFreeSpace(bavail * bsize, bytesMin);
}

export function toFreeSpace(bytes: number, bytesMin: number): FreeSpace {
  const isFailing = bytes <= bytesFail || bytes < bytesMin;
  return { bytes, bytesMin, status: isFailing ? "fail" : bytes > bytesWarn ? "ok" : "warn" };
}

/** Describes the free space, with advice if it is low. Only for readers who may see paths. */
export function describeFreeSpace({ bytes, bytesMin, status }: FreeSpace, folder: string): string {
  const amount =
    bytes < gibibyte
      ? `${Math.floor(bytes / mebibyte)} MiB`
      : `${(Math.floor((10 * bytes) / gibibyte) / 10).toFixed(1)} GiB`;
  const free = `${amount} free on the disk of ${folder}`;
  if (status === "ok") return free;
  const floor = `${Math.ceil(bytesMin / mebibyte)} MiB (HUB_DISK_FREE_BYTES_MIN)`;
  const is =
    bytes < bytesMin
      ? `New work is refused until more than ${floor} are free`
      : `With less than ${floor}, new work is refused`;
  return `${free}. ${bytesMin === 0 ? "" : `${is}. `}When the disk is full, calls fail, because every call must be recorded. Free space on the disk, move the data folder to a larger disk (HUB_DATA_DIR), or keep fewer calls: \`hub setting set HUB_AUDIT_BYTES_MAX BYTES\` or \`hub setting set HUB_AUDIT_RETENTION_DAYS DAYS\`. The database reuses the space of deleted calls; its file does not shrink.`;
}
