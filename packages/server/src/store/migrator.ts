import type { MigrateOptions } from "./migration.ts";

/** Migrates one database, or only looks at it. */
export type Migrator = {
  kind: "SQLite" | "PostgreSQL";
  /** The data folder, or the address without its user and password. */
  place: string;
  /** Names of migrations that the database lacks, or has from the next version. Changes nothing. */
  check(): Promise<{ pending: string[]; newer: string[] }>;
  /** Returns the names of the applied migrations. */
  migrate(options: MigrateOptions): Promise<string[]>;
};
