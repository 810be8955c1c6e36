import { z } from "zod";

/** What a backup has, by kind. */
export const backupCountsSchema = z.object({
  users: z.int(),
  tokens: z.int(),
  rows: z.int(),
  runs: z.int(),
  workflows: z.int(),
  workflow_runs: z.int(),
});

/** The outcome of `hub backup`. */
export const backupReportSchema = z.object({
  /** The file, absolute. */
  file: z.string(),
  bytes: z.int(),
  created_at: z.iso.datetime(),
  counts: backupCountsSchema,
  /** Whether the keys are in it, encrypted with the passphrase. */
  has_keys: z.boolean(),
  /** Ids of the keys that a restore needs. */
  key_ids: z.array(z.string()),
  /** Installed plugins, whose programs are not in it. */
  plugins: z.array(z.string()),
  /** With `--keep`: names of older backups that were removed, and of what killed backups had left. */
  removed: z.array(z.string()),
  /** With `--keep`: files that could not be removed, each with the reason. */
  not_removed: z.array(z.string()),
});
export type BackupReport = z.infer<typeof backupReportSchema>;

/** The outcome of `hub restore`. */
export const restoreReportSchema = z.object({
  /** The data folder, absolute. */
  folder: z.string(),
  /** When the backup was made. */
  created_at: z.iso.datetime(),
  /** The version that made it. */
  hub_version: z.string(),
  counts: backupCountsSchema,
  /** Where the keys come from; `none` with `--without-keys`. */
  keys: z.enum(["backup", "folder", "environment", "none"]),
  /** Plugins to install again. */
  plugins: z.array(z.string()),
  /** Migrations of this version that the first start applies. */
  pending: z.array(z.string()),
});
export type RestoreReport = z.infer<typeof restoreReportSchema>;
