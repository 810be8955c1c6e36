import { dirname, resolve } from "node:path";
import type { HubFileReport } from "@hub/contract/hub-file.ts";
import type { Config } from "@hub/server/config.ts";
import type { PlanWriter } from "@hub/server/store/plan/open-plan-writer.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { toReportText } from "../hub-file/hub-file-text.ts";
import { readSecretReference } from "../hub-file/read-secret-reference.ts";
import { readDocumentFile } from "../input/read-document-file.ts";

type ApplyOptions = { dryRun?: true; prune?: true; schema?: true };

export function define(apply: Command, cli: Cli): void {
  apply
    .argument("[file]", "a hub file in YAML or JSON; - is standard input")
    .description("make the hub what a file says")
    .option("--dry-run", "show what would change, and change nothing")
    .option(
      "--prune",
      "also delete rows and workflows, disable users and reset settings that the file does not name",
    )
    .option("--schema", "print the JSON Schema of the file, and do nothing else")
    .addHelpText(
      "after",
      `
Begin with \`${cli.name} export\`. What the file leaves out stays as it is. Plugins are installed first; everything
else is changed in one transaction, so a mistake changes nothing. If a row, user, workflow or setting changes meanwhile, nothing
is stored: run it again. Applied twice, a file changes nothing the second time.

Secrets are not in the file: env:NAME is a variable of this command, and file:PATH a file that only this command reads. keep
leaves a secret as it is. The hub itself reads env:HUB_SECRET_NAME and secret:NAME, a file in HUB_SECRETS_DIR, at each call.

Examples:
  $ ${cli.name} apply hub.yaml --dry-run
  $ TRACKER_TOKEN=… ${cli.name} apply hub.yaml
  $ ${cli.name} apply hub.yaml --prune --dry-run`,
    )
    .action(async (name: string | undefined, options: ApplyOptions, command: Command) => {
      if (options.schema) return cli.print(command, await describeSchema());
      if (name === undefined) throw toUsageError("Name a file, or - for standard input.");
      const text = await readDocumentFile(cli.terminal, name);
      await cli.answer(
        command,
        async ({ services, actor, config }) => {
          // A plan of thousands of items takes seconds, in which a server beside it answers calls.
          await using writer = await beGentle(cli, config, options);
          const { readHubFile } = await import("@hub/server/services/hub-file/read-hub-file.ts");
          const { applyHubFile } = await import("@hub/server/services/hub-file/apply-hub-file.ts");
          const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
          const folder = name === "-" ? cli.terminal.cwd : dirname(resolve(cli.terminal.cwd, name));
          const report: HubFileReport = await applyHubFile(
            services,
            { caller: localAdmin, actor },
            readHubFile(text),
            {
              isDryRun: options.dryRun === true,
              isPruning: options.prune === true,
              cwd: folder,
              readReference: readSecretReference(cli.terminal, folder),
              writer: writer ?? undefined,
            },
          );
          return { json: report, text: toReportText(report) };
        },
        { mayMakeHub: options.dryRun !== true },
      );
    });
}

/** Lowers the priority of the process. What stores the plan in SQLite keeps it, since other writers wait for it. */
async function beGentle(
  { terminal }: Pick<Cli, "terminal">,
  { dataDir, readDatabaseUrl }: Pick<Config, "dataDir" | "readDatabaseUrl">,
  { dryRun }: ApplyOptions,
): Promise<PlanWriter | null> {
  if (terminal.isWholeProcess !== true) return null;
  const { lowerPriority } = await import("@hub/server/lib/process/lower-priority.ts");
  const { openPlanWriter } = await import("@hub/server/store/plan/open-plan-writer.ts");
  const isStored = dryRun !== true && readDatabaseUrl() === null;
  const writer = isStored ? openPlanWriter(dataDir) : null;
  lowerPriority();
  return writer;
}

async function describeSchema() {
  const { toHubFileJsonSchema } = await import("@hub/contract/hub-file.ts");
  const schema = toHubFileJsonSchema();
  return { json: schema, text: JSON.stringify(schema, null, 2) };
}
