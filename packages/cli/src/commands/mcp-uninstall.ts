import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { type ClientReport, reportFailures } from "../clients/client-report.ts";
import { findClientFile } from "../clients/find-client-file.ts";
import { toMachine } from "../clients/machine.ts";
import { removeRecordFolders } from "../clients/made-folders.ts";
import { withThisHub } from "../clients/this-hub.ts";
import { uninstallEntry } from "../clients/uninstall-entry.ts";
import { tryFindProject } from "../project/find-project.ts";
import { distrustProject } from "../project/trust.ts";
import { findInstallFolder } from "./find-install-folder.ts";
import { checkName, chooseClients } from "./mcp-options.ts";
import { answerReports } from "./mcp-reports.ts";

export type UninstallOptions = { client: string; name: string; project?: string; dryRun?: true };

export async function uninstall(
  cli: Cli,
  command: Command,
  options: UninstallOptions,
): Promise<void> {
  const { name, project, dryRun } = options;
  checkName(name);
  const machine = toMachine(cli.terminal.env);
  const folder = findInstallFolder(cli.terminal, project);
  await withThisHub(cli, command, { folder, tokensOf: null }, async (hub) => {
    const reports: ClientReport[] = [];
    for (const client of chooseClients(options.client)) {
      const file = findClientFile(client, machine);
      const request = { client, file, name, isDryRun: !!dryRun, env: cli.terminal.env };
      reports.push(await reportFailures(client, file, () => uninstallEntry(hub, request)));
    }
    if (!dryRun && reports.some(({ outcome }) => outcome === "removed")) {
      await distrust(cli, folder);
    }
    answerReports(cli, command, { reports, verb: "uninstall", ...options });
  });
}

async function distrust({ terminal }: Cli, folder: string): Promise<void> {
  const project = tryFindProject(folder);
  if (project === null) return;
  await removeRecordFolders(terminal.env, distrustProject(project, terminal.env));
}
