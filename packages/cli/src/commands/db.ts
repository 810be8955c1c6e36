import type { CopyReport } from "@hub/contract/database-copy.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { table } from "../declare/view.ts";

const loadCopy = () => import("@hub/server/compose/database/copy-database.ts");

/** Rows between two lines of progress. */
const rowsBetween = 100_000;

export function define(db: Command, cli: Cli): void {
  db.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} keys env --show
  $ HUB_DATABASE_URL=postgres://… HUB_ENC_KEY=… ${cli.name} db copy --data-dir .hub`,
  );

  db.command("copy")
    .description(
      "copy the data folder's SQLite database to the empty PostgreSQL database in HUB_DATABASE_URL",
    )
    .option("--restart", "discard what an interrupted copy has stored, and begin again")
    .addHelpText(
      "after",
      `
Stop the hub of the data folder first. The copy has users, tokens, rows with their secrets, recorded calls and
everything else of the database, and is compared with the folder at the end. The folder is not changed, except that its
schema is brought up to date. An interrupted copy continues when the command runs again.`,
    )
    .action(async (options: { restart?: true }, command: Command) => {
      const { config } = await cli.loadConfig(command);
      const write = (line: string) => cli.terminal.stderr.write(`${line}\n`);
      const report = await (await loadCopy()).copyDatabase({
        config,
        restarts: options.restart === true,
        log: { info: () => {}, warn: ({ reason }, message) => write(`${message}: ${reason}`) },
        onProgress: createProgress(write),
      });
      cli.print(command, { json: report, text: toText(report) });
    });
}

/** A line for every so many rows of one table. */
function createProgress(write: (line: string) => void) {
  let recorded = 0;
  let [current, step] = ["", ""];
  return (table: string, rows: number, total: number, at: string) => {
    if (table !== current || at !== step) [recorded, current, step] = [0, table, at];
    if (rows - recorded < rowsBetween) return;
    recorded = rows;
    write(`${table}: ${at} ${rows} of ${total} rows`);
  };
}

function toText(report: CopyReport): string {
  const { source, target, migrated, continued, tables, sealing, keys, plugins } = report;
  const notCopied = report.plugins_not_copied;
  const rows = tables.reduce((sum, copied) => sum + copied.rows, 0);
  return [
    `Copied ${source} to ${target}.`,
    ...(migrated.length > 0 ? [`Migrated the data folder first: ${migrated.join(", ")}.`] : []),
    ...(continued ? ["Continued an interrupted copy."] : []),
    "",
    toCopiedTable(tables),
    "",
    `${rows} rows in ${tables.length} tables. Counts and digests are equal in both databases.`,
    `HUB_ENC_KEY has all keys of the folder (${keys.join(", ")}). New secrets are encrypted with ${sealing}.`,
    ...(plugins.length > 0
      ? [`Plugins that are installed for all servers now: ${plugins.join(", ")}.`]
      : []),
    ...notCopied.map(({ key, reason }) => `Not copied: the plugin ${key}. ${reason}`),
    "Not copied, because they are files: the key file, logs and the data of plugins.",
    "",
    `Start servers with this HUB_DATABASE_URL and HUB_ENC_KEY. Keep the folder as a backup, and start no server on it: what it stores would be missing in the copy.`,
  ].join("\n");
}

const toCopiedTable = table<CopyReport["tables"][number]>(
  [["table", "name"], "rows", ["digest", ({ digest }) => digest.slice(0, 16)]],
  "",
);
