import { pluginArchiveBytesMax } from "@hub/contract/plugin-limits.ts";

/** Limits for archives, which are not trusted until they are verified. */
export type InstallLimits = {
  archiveBytesMax: number;
  membersMax: number;
  memberBytesMax: number;
  /** Limit for all members together. */
  totalBytesMax: number;
  /** Unpacked bytes per packed byte (decompression bombs). */
  expansionMax: number;
  downloadMsMax: number;
};

const mebibyte = 1024 * 1024;

/** Standalone programs have about 100 MiB and compress to less than half of that. */
export const defaultInstallLimits: InstallLimits = {
  archiveBytesMax: pluginArchiveBytesMax,
  membersMax: 100,
  memberBytesMax: 512 * mebibyte,
  totalBytesMax: 1024 * mebibyte,
  expansionMax: 100,
  downloadMsMax: 15 * 60_000,
};
