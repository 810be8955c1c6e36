import { createHash } from "node:crypto";
import { HubError } from "../errors.ts";

/** A step of the database's schema, applied once, in its own place in the order. */
export type Migration = { name: string; sql: string };

/** A migration that a database records. */
export type AppliedMigration = { name: string; checksum: string };

/** The first missing migration. Throws if this program does not know the database. */
export function findNextMigration(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): Migration | undefined {
  for (const { name, checksum } of applied) {
    const migration = known.find((candidate) => candidate.name === name);
    if (migration === undefined) {
      throw new HubError(
        "bad_configuration",
        `The database was made by a newer hub (it has the migration ${name}). Start that version or a newer one, or choose another database with HUB_DATA_DIR or HUB_DATABASE_URL.`,
      );
    }
    if (toChecksum(migration.sql) !== checksum) {
      throw new HubError(
        "bad_configuration",
        `The database was made by another build of the hub: its migration ${name} differs. Start that build, or choose another database with HUB_DATA_DIR or HUB_DATABASE_URL.`,
      );
    }
  }
  return known.find((migration) => !applied.some(({ name }) => name === migration.name));
}

/** Of the text with LF line ends, because git may have changed them on check-out. */
export function toChecksum(sql: string): string {
  return createHash("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex");
}
