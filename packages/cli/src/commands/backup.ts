import type { BackupReport } from "@hub/contract/backup.ts";
import type { Command } from "commander";
import { toCounts, toFileSize } from "../backups/backup-text.ts";
import type { Cli } from "../cli.ts";
import { exitCodes, toUsageError } from "../errors/usage-error.ts";
import { askSecret } from "../input/read-secret.ts";
import { isInteractive, readStdin, type Terminal } from "../process/terminal.ts";

/** As of passwords. */
const passphraseCharsMin = 12;

export function define(backup: Command, cli: Cli): void {
  backup
    .argument(
      "<file>",
      "a file that does not exist yet, such as hub-2026-11-23.tar.gz; with --keep, a folder",
    )
    .description("write the data folder's database to a file, while the hub runs")
    .option("--keys", "put the keys into it, encrypted with a passphrase from standard input")
    .option(
      "--keep <number>",
      "write into a folder, with the time as the name, and keep only so many backups of this hub there",
      toKeep,
    )
    .addHelpText(
      "after",
      `
The file has users, tokens, rows with their secrets, recorded calls, workflows and everything else of the database, as it
is at one moment. Programs of plugins, their data and logs are not in it. Without the keys, stored secrets cannot be
opened: keep keys.json of the data folder in another place.

Examples:
  $ ${cli.name} backup /backups/hub.tar.gz
  $ ${cli.name} backup /backups/hub.tar.gz --keys < passphrase.txt
  $ ${cli.name} backup --keep 14 /backups`,
    )
    .action(async (file: string, options: { keys?: true; keep?: number }, command: Command) => {
      const { config } = await cli.loadConfig(command);
      const { obeyMarks } = await import("@hub/server/compose/obey-marks.ts");
      await obeyMarks(config, cli.name);
      const passphrase = options.keys === true ? await readNewPassphrase(cli.terminal) : null;
      const { backUp } = await import("@hub/server/compose/database/back-up.ts");
      const { cwd } = cli.terminal;
      const report = await backUp({ config, file, cwd, passphrase, keep: options.keep ?? null });
      if (report.not_removed.length > 0) process.exitCode = exitCodes.failure;
      cli.print(command, { json: report, ...toText(report) });
    });
}

async function readNewPassphrase(terminal: Terminal): Promise<string> {
  if (!isInteractive(terminal)) return checkLength(await readStdin(terminal));
  const typed = checkLength(await askSecret(terminal, "Passphrase for the keys"));
  const again = await askSecret(terminal, "The same passphrase again");
  if (again === typed) return typed;
  throw toUsageError("The two passphrases differ. Nothing was written: run the command again.");
}

function toKeep(text: string): number {
  const keep = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (keep > 0) return keep;
  throw toUsageError(`--keep must be a whole number from 1 to 9999, not "${text}".`);
}

function checkLength(passphrase: string): string {
  if (passphrase === "") {
    throw toUsageError(
      `--keys needs a passphrase, and none was given. Write one of at least ${passphraseCharsMin} characters to standard input, such as: --keys < passphrase.txt`,
    );
  }
  if ([...passphrase].length >= passphraseCharsMin) return passphrase;
  throw toUsageError(
    `The passphrase must have at least ${passphraseCharsMin} characters. Write it to standard input.`,
  );
}

function toText(report: BackupReport): { text: string; note?: string } {
  const { file, bytes, counts, has_keys, key_ids, plugins } = report;
  const text = [
    `Wrote ${file} (${toFileSize(bytes)}): ${toCounts(counts)}.`,
    ...(has_keys ? ["The keys are in it, encrypted with the passphrase."] : []),
    ...(plugins.length > 0
      ? [`Not in it: the programs and the data of the plugins ${plugins.join(", ")}, and logs.`]
      : ["Not in it: logs."]),
    ...report.removed.map((name) => `Removed ${name}.`),
    ...report.not_removed.map((failure) => `Not removed: ${failure}`),
  ].join("\n");
  if (has_keys || key_ids.length === 0) return { text };
  const note = `The keys are not in it. Without the keys ${key_ids.join(", ")}, its stored secrets cannot be opened: keep keys.json of the data folder in another place, or use --keys.`;
  return { text, note };
}
