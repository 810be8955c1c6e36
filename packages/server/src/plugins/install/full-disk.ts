import { HubError } from "../../errors.ts";

/** Whether the disk, or the share of it that the hub may use, takes no more. */
export function isFullDisk(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  return thrown.code === "ENOSPC" || thrown.code === "EDQUOT";
}

/** Says what to do about a full disk. What is no such failure is returned as it is. */
export function toFullDiskError(thrown: unknown): unknown {
  if (!isFullDisk(thrown)) return thrown;
  return new HubError(
    "internal",
    "There is no room for the plugin: the hub's disk is full. What was installed is as it was. Free space where the data folder is (some three times the archive), then try again.",
    { cause: thrown },
  );
}
