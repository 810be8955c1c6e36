/** What an archive may cost before it is known to be a plugin. */
export type InstallLimits = {
  archiveBytesMax: number;
  membersMax: number;
  memberBytesMax: number;
  /** All members together. */
  totalBytesMax: number;
  /** Bytes unpacked for each byte packed, counted once a bomb could matter. */
  expansionMax: number;
  downloadMsMax: number;
};

const mebibyte = 1024 * 1024;

/** Standalone programs have some 100 MiB, and pack to less than half. */
export const defaultInstallLimits: InstallLimits = {
  archiveBytesMax: 512 * mebibyte,
  membersMax: 100,
  memberBytesMax: 512 * mebibyte,
  totalBytesMax: 1024 * mebibyte,
  expansionMax: 100,
  downloadMsMax: 15 * 60_000,
};
