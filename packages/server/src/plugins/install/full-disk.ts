import { HubError } from "../../errors.ts";

/** Whether the disk or its quota is full. */
export function isFullDisk(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  return thrown.code === "ENOSPC" || thrown.code === "EDQUOT";
}

/** Converts the failure of a full disk to an error that says what to do. Returns others unchanged. */
export function toFullDiskError(thrown: unknown): unknown {
  if (!isFullDisk(thrown)) return thrown;
  return new HubError(
    "internal",
    "The hub's disk is full, so the plugin was not installed. Installed plugins are unchanged. Free about three times the size of the archive on the disk of the data folder, then try again.",
    { cause: thrown },
  );
}
