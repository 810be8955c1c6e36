import { z } from "zod";

/** The outcome of `hub db copy`. */
export const copyReportSchema = z.object({
  /** The data folder. */
  source: z.string(),
  /** The host, port and name of the PostgreSQL database. */
  target: z.string(),
  /** Migrations that the data folder lacked. */
  migrated: z.array(z.string()),
  /** Whether an interrupted copy was continued. */
  continued: z.boolean(),
  /** What both databases hold. The digest is the sum of the SHA-256 hashes of all rows. */
  tables: z.array(z.object({ name: z.string(), rows: z.int(), digest: z.string() })),
  /** Id of the key that seals from now on. */
  sealing: z.string(),
  /** Ids of the keys in HUB_ENC_KEY. */
  keys: z.array(z.string()),
  /** Keys of the plugins that the database has for all servers now. */
  plugins: z.array(z.string()),
  /** Plugins of the data folder that this machine refuses. */
  plugins_not_copied: z.array(z.object({ key: z.string(), reason: z.string() })),
});
export type CopyReport = z.infer<typeof copyReportSchema>;
