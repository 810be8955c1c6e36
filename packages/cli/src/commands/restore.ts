import type { RestoreReport } from "@hub/contract/backup.ts";
import type { Command } from "commander";
import { toCounts } from "../backups/backup-text.ts";
import type { Cli } from "../cli.ts";
import { readSecret } from "../input/read-secret.ts";

export function define(restore: Command, cli: Cli): void {
  restore
    .argument("<file>", "a file of `hub backup`")
    .description("restore a backup into a data folder that has no database")
    .option("--without-keys", "restore although the keys are lost: secrets must be set again")
    .addHelpText(
      "after",
      `
The keys come from HUB_ENC_KEY, from keys.json in the data folder, or from the backup. For the backup's keys, the
passphrase is read from standard input. Stop the old hub for good before the new one starts: both would connect to the
same channels and run the same schedules.

Example:
  $ ${cli.name} restore /backups/hub.tar.gz --data-dir /srv/hub < passphrase.txt`,
    )
    .action(async (file: string, options: { withoutKeys?: true }, command: Command) => {
      const { config } = await cli.loadConfig(command);
      const { restoreBackup } = await import("@hub/server/compose/database/restore-backup.ts");
      const report = await restoreBackup({
        config,
        file,
        cwd: cli.terminal.cwd,
        withoutKeys: options.withoutKeys === true,
        readPassphrase: () => readSecret(cli.terminal, "Passphrase of the backup's keys"),
      });
      cli.print(command, { json: report, text: toText(report, cli.name) });
    });
}

function toText(report: RestoreReport, name: string): string {
  const { folder, created_at, hub_version, counts, keys, plugins, pending } = report;
  return [
    `Restored the backup of ${created_at} (version ${hub_version}) into ${folder}: ${toCounts(counts)}.`,
    originTexts[keys],
    ...(pending.length > 0
      ? [`The first start applies the migrations ${pending.join(", ")}.`]
      : []),
    ...(plugins.length > 0
      ? [`Install these plugins again, with ${name} plugin install: ${plugins.join(", ")}.`]
      : []),
    "What happened after the backup is not in it. Workflow runs go on from where they were then.",
  ].join("\n");
}

const originTexts: Record<RestoreReport["keys"], string> = {
  backup: "The keys of the backup are in keys.json of the folder.",
  folder: "keys.json of the folder has the keys.",
  environment: "HUB_ENC_KEY has the keys.",
  none: "The keys are lost: set the secrets of rows and workflows again. hub doctor names them.",
};
