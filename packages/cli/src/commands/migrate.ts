import type { MigrationReport } from "@hub/contract/migration.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";

const loadMigrations = () => import("@hub/server/compose/database/migrate-database.ts");

/** With --check; 1 is a failure of the command. */
const pendingExitCode = 3;

export function define(migrate: Command, cli: Cli): void {
  migrate
    .description(
      "apply the migrations that the database lacks: PostgreSQL at HUB_DATABASE_URL, else the data folder",
    )
    .option("--check", "change nothing; exit with 3 if migrations are pending")
    .addHelpText(
      "after",
      `
A SQLite database is copied to upgrade-copies in the data folder before (HUB_UPGRADE_BACKUP). On PostgreSQL, make a dump before.
With HUB_MIGRATE=off, servers refuse a database that lacks migrations, so that one job applies them.

Examples:
  $ ${cli.name} migrate
  $ ${cli.name} migrate --check`,
    )
    .action(async (options: { check?: true }, command: Command) => {
      const { config } = await cli.loadConfig(command);
      const { obeyMarks } = await import("@hub/server/compose/obey-marks.ts");
      await obeyMarks(config, cli.name);
      const { checkMigrations, migrateDatabase } = await loadMigrations();
      const isChecked = options.check === true;
      const report = isChecked
        ? await checkMigrations(config)
        : await migrateDatabase(config, {
            info: () => {},
            warn: ({ reason }, message) =>
              cli.terminal.stderr.write(`${message}: ${String(reason)}\n`),
          });
      cli.print(command, { json: report, text: toText(report) });
      if (isChecked && report.pending.length > 0) process.exitCode = pendingExitCode;
    });
}

function toText({ database, place, applied, copy, pending, newer }: MigrationReport): string {
  const lines = [`${database}, ${place}`];
  if (copy !== null) lines.push("", `Copied before: ${copy}`);
  if (applied.length > 0) lines.push("", "Applied:", ...applied.map((name) => `  ${name}`));
  if (pending.length > 0) lines.push("", "Pending:", ...pending.map((name) => `  ${name}`));
  if (newer.length > 0) {
    lines.push("", "Of the next version, on which this one can run:");
    lines.push(...newer.map((name) => `  ${name}`));
  }
  if (pending.length === 0) lines.push("", "The schema is up to date.");
  return lines.join("\n");
}
