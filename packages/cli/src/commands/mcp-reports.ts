import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { allClients } from "../clients/all-clients.ts";
import type { ClientReport } from "../clients/client-report.ts";
import { exitCodes } from "../errors/usage-error.ts";
import { toPrintable } from "../text/table.ts";
import { toOptionWords } from "./mcp-options.ts";

type Reports = {
  reports: readonly ClientReport[];
  verb: "install" | "uninstall";
  name: string;
  client: string;
  project?: string;
  dryRun?: true;
};

/** Prints what a command did for each client. The exit code is 1 if it failed for one or did nothing. */
export function answerReports(cli: Cli, command: Command, all: Reports): void {
  const { reports, name, dryRun = false } = all;
  const isSkipped = reports.every(({ outcome }) => outcome === "skipped");
  if (isSkipped || reports.some(({ outcome }) => outcome === "failed")) {
    process.exitCode = exitCodes.failure;
  }
  const shown = reports.map((report) => describe(report, name, dryRun));
  const footer = isSkipped
    ? ["No client was found. Name one with --client."]
    : findUndo(cli, command, all);
  cli.print(command, {
    json: { name, dry_run: dryRun, clients: reports },
    text: [...shown, ...footer].join("\n\n"),
  });
}

function describe(report: ClientReport, name: string, isDryRun: boolean): string {
  const { client, file, backup, notes, diff, outcome } = report;
  const lines = [...notes];
  if (backup !== null) lines.push(`The old file is kept as ${backup}.`);
  const isWritten = outcome === "installed" || outcome === "updated";
  const next = allClients.find(({ id }) => id === report.target)?.nextStep;
  if (isWritten && !isDryRun && next !== undefined) lines.push(next);
  const head = `${client}: ${toSentence(report, name, isDryRun).replaceAll("FILE", () => file)}`;
  const body = lines.map((line) => `  ${toPrintable(line)}`);
  const changes = diff?.split("\n").map((line) => `  ${toPrintable(line)}`) ?? [];
  return [toPrintable(head), ...body, ...(diff === "" ? [] : changes)].join("\n");
}

function toSentence({ outcome, reason }: ClientReport, name: string, isDryRun: boolean): string {
  switch (outcome) {
    case "installed":
      return isDryRun ? `would add "${name}" to FILE.` : `added "${name}" to FILE.`;
    case "updated":
      return isDryRun ? `would update "${name}" in FILE.` : `updated "${name}" in FILE.`;
    case "unchanged":
      return `"${name}" is already installed in FILE.`;
    case "removed":
      return isDryRun ? `would remove "${name}" from FILE.` : `removed "${name}" from FILE.`;
    case "absent":
      return `there is no "${name}" in FILE.`;
    case "skipped":
      return `skipped. ${reason}`;
    case "failed":
      return `FILE was not changed: ${reason}`;
  }
}

/** The command has the options that name the hub, so that it finds the entry from any folder. */
function findUndo(cli: Cli, command: Command, all: Reports): string[] {
  const { reports, verb, name, client, project, dryRun } = all;
  const isWritten = reports.some(({ outcome }) => outcome === "installed" || outcome === "updated");
  if (verb === "uninstall" || dryRun || !isWritten) return [];
  const { dataDir }: { dataDir?: string } = command.optsWithGlobals();
  const toPath = (folder?: string) => folder && resolve(cli.terminal.cwd, folder);
  const options = toOptionWords({
    "--client": client,
    "--name": name === "hub" ? undefined : name,
    "--project": toPath(project),
    "--data-dir": toPath(dataDir),
  });
  return [`To undo this, run: ${[cli.name, "mcp", "uninstall", ...options].join(" ")}`];
}
