import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import type { Client, StdioServer } from "../clients/client-definition.ts";
import { type ClientReport, reportFailures, toReport } from "../clients/client-report.ts";
import { findClientFile, isInstalled } from "../clients/find-client-file.ts";
import { type Connection, installEntry, toNoHttpReason } from "../clients/install-entry.ts";
import { toMachine } from "../clients/machine.ts";
import { type ThisHub, withThisHub } from "../clients/this-hub.ts";
import { findUnwrittenSecrets } from "../clients/unwritten-secrets.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { findStdioServer } from "../process/find-stdio-server.ts";
import { findProject } from "../project/find-project.ts";
import type { RunMode } from "../project/run-modes.ts";
import { trustProject } from "../project/trust.ts";
import { findInstallFolder } from "./find-install-folder.ts";
import { checkName, chooseClients } from "./mcp-options.ts";
import { answerReports } from "./mcp-reports.ts";

export type InstallOptions = {
  client: string;
  name: string;
  user?: string;
  project?: string;
  mode: RunMode;
  http?: true;
  replace?: true;
  dryRun?: true;
};

export async function install(cli: Cli, command: Command, options: InstallOptions): Promise<void> {
  checkName(options.name);
  const clients = chooseClients(options.client);
  checkHttp(options, clients);
  const { mode, user, http, dryRun } = options;
  const folder = findInstallFolder(cli.terminal, options.project);
  const request = { mode, user, project: folder, isDryRun: !!dryRun };
  const server = http ? null : await findStdioServer(cli, command, request);
  const tokensOf = http ? (user ?? null) : null;
  await withThisHub(cli, command, { folder, tokensOf }, async (hub) => {
    const connection = toConnection(hub, server, options);
    const reports: ClientReport[] = [];
    for (const client of clients) {
      reports.push(await installInto(cli, hub, { client, connection, options }));
    }
    if (!http && !dryRun && reports.some(isWritten)) trust(cli, folder);
    answerReports(cli, command, { reports, verb: "install", ...options });
  });
}

/** A project that is installed runs in its folder without `--project` too. */
function trust({ terminal }: Cli, folder: string): void {
  const project = findProject(folder);
  if (project !== null) trustProject(project, terminal.env);
}

function isWritten({ outcome }: ClientReport): boolean {
  return outcome === "installed" || outcome === "updated" || outcome === "unchanged";
}

function checkHttp({ http, user }: InstallOptions, clients: readonly Client[]): void {
  if (http === undefined) return;
  if (user === undefined) {
    throw toUsageError("--http needs --user EMAIL, because a token belongs to one user.");
  }
  const [only] = clients;
  if (clients.length === 1 && only?.toHttpEntry === null) {
    throw toUsageError(`${toNoHttpReason(only)} Leave out --http.`);
  }
}

function toConnection(
  { tokens }: ThisHub,
  server: StdioServer | null,
  { user }: InstallOptions,
): Connection {
  if (server !== null) return { kind: "stdio", server };
  if (tokens === null || user === undefined) throw new Error("The hub was opened without tokens.");
  return { kind: "http", email: user, tokens };
}

async function installInto(
  cli: Cli,
  hub: ThisHub,
  {
    client,
    connection,
    options,
  }: { client: Client; connection: Connection; options: InstallOptions },
): Promise<ClientReport> {
  const machine = toMachine(cli.terminal.env);
  const file = findClientFile(client, machine);
  const skip = (reason: string) => toReport(client, file, { outcome: "skipped", reason });
  const isMissing = !isInstalled(client, machine);
  if (isMissing && options.client === "all") return skip(`${client.title} is not installed.`);
  if (connection.kind === "http" && client.toHttpEntry === null)
    return skip(toNoHttpReason(client));
  const { name, replace, dryRun } = options;
  const switches = { replaces: !!replace, isDryRun: !!dryRun };
  const request = { client, file, name, connection, ...switches, env: cli.terminal.env };
  const report = await reportFailures(client, file, () => installEntry(hub, request));
  if (report.outcome === "failed") return report;
  if (connection.kind === "http") {
    report.notes.push(`The entry works while the server runs: ${cli.name} serve`);
  } else {
    for (const variable of findUnwrittenSecrets(cli.terminal.env)) {
      report.notes.push(
        `${variable} is set here but is not in the entry. Set it for the client too.`,
      );
    }
  }
  if (isMissing) {
    report.notes.push(`${client.title} does not seem to be installed here.`);
  }
  return report;
}
