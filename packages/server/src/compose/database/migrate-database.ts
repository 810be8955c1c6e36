import type { MigrationReport } from "@hub/contract/migration.ts";
import type { Config } from "../../config.ts";
import type { MigrateLog } from "../../store/migration.ts";
import type { Migrator } from "../../store/migrator.ts";
import { createUpgradeCopy } from "./copy-before-upgrade.ts";

/** Applies the missing migrations of the configured database. Other processes wait until it is done. */
export async function migrateDatabase(config: Config, log: MigrateLog): Promise<MigrationReport> {
  const migrator = await openMigrator(config);
  let copy: string | null = null;
  const beforeUpgrade = createUpgradeCopy({
    config,
    log,
    onCopied: (file) => {
      copy = file;
    },
  });
  const applied = await migrator.migrate({ log, beforeUpgrade });
  return await report(migrator, { applied, copy });
}

/** Says which migrations are missing, and changes nothing. */
export async function checkMigrations(config: Config): Promise<MigrationReport> {
  return await report(await openMigrator(config), { applied: [], copy: null });
}

async function openMigrator(config: Config): Promise<Migrator> {
  const url = config.readDatabaseUrl();
  if (url === null) {
    const { createFolderMigrator } = await import("../../store/folder-migrator.ts");
    return createFolderMigrator(config.dataDir);
  }
  const { createDatabaseMigrator } = await import("../../store/postgres/database-migrator.ts");
  return createDatabaseMigrator(url);
}

async function report(
  migrator: Migrator,
  done: Pick<MigrationReport, "applied" | "copy">,
): Promise<MigrationReport> {
  const { kind: database, place } = migrator;
  return { database, place, ...done, ...(await migrator.check()) };
}
