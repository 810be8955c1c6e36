import { migrate, migrations, readSchema } from "./migrate.ts";
import { compareSchema } from "./migration.ts";
import type { Migrator } from "./migrator.ts";
import { hasDatabase, openReader, openWriter } from "./sqlite/sqlite-connections.ts";

const busyWaitMsMax = 5_000;

/** The migrations of a data folder. */
export function createFolderMigrator(dataDir: string): Migrator {
  return {
    kind: "SQLite",
    place: dataDir,
    async check() {
      if (!hasDatabase(dataDir)) return toNames(compareSchema([], migrations));
      const database = openReader(dataDir);
      try {
        return toNames(readSchema(database));
      } finally {
        database.close(true);
      }
    },
    async migrate(options) {
      const database = await openWriter(dataDir, busyWaitMsMax);
      try {
        return await migrate(database, migrations, options);
      } finally {
        database.close(true);
      }
    },
  };
}

function toNames({ missing, newer }: ReturnType<typeof compareSchema>) {
  return { pending: missing.map(({ name }) => name), newer };
}
