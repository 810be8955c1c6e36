import { z } from "zod";

/** The outcome of `hub migrate`. Migrations are named, in the order in which they are applied. */
export const migrationReportSchema = z.object({
  database: z.enum(["SQLite", "PostgreSQL"]),
  /** The data folder, or the host, port and name of the database. */
  place: z.string(),
  /** Applied by this command. */
  applied: z.array(z.string()),
  /** The copy of a SQLite database that was made before, absolute; null without one. */
  copy: z.string().nullable(),
  /** Known to this version and missing in the database. */
  pending: z.array(z.string()),
  /** Of the next version of the hub, during a rolling update. */
  newer: z.array(z.string()),
});
export type MigrationReport = z.infer<typeof migrationReportSchema>;
