import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Hub } from "@hub/server/hub.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { logUncaughtErrors } from "../errors/log-uncaught-errors.ts";
import { warnOfUntrusted } from "../process/find-stdio-server.ts";
import { quote, toShellCommand } from "../process/shell-command.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import { type ChosenProject, chooseProject } from "../project/choose-project.ts";
import { findProgramToStart } from "../project/find-program-to-start.ts";
import type { RunMode } from "../project/run-modes.ts";
import { startProjectProgram } from "../project/start-project-program.ts";
import { toPrintable } from "../text/table.ts";
import { defineEntries } from "./mcp-entries.ts";
import { toModeOption, toProjectOption } from "./mcp-options.ts";

type ServeOptions = { user?: string; project?: string; mode: RunMode; dataDir?: string };

export function define(mcp: Command, cli: Cli): void {
  mcp
    .command("serve")
    .description("serve one MCP client over stdin and stdout, as a local admin who sees all rows")
    .option("--user <email>", "act as this user, with the rows that the user's tags allow")
    .addOption(toProjectOption())
    .addOption(toModeOption())
    .addHelpText("after", toServeHelp(cli.name))
    .action((options: ServeOptions, command: Command) => serveStdio(cli, command, options));

  defineEntries(mcp, cli);
}

function toServeHelp(name: string): string {
  return `
An MCP client starts this command. Standard input has the client's messages and standard
output the answers: JSON-RPC in UTF-8, one message a line, and nothing else. Warnings and
the log go to standard error. The command ends when standard input ends.

It serves the hub in --data-dir, HUB_DATA_DIR, or .hub of the project, else in your data
folder, and makes this hub if there is none. A server may run beside it. Without --user,
it acts as a local admin, without a token.

Settings of a client ("${name} mcp install CLIENT" writes them, "${name} mcp config" prints all):
  {"mcpServers": {"hub": {"command": "${name}", "args": ["mcp", "serve"],
                          "env": {"HUB_DATA_DIR": "/home/ada/.hub"}}}}

Examples:
  $ ${name} mcp serve --user ada@example.com
  $ ${name} mcp serve --project /home/ada/my-hub --mode dev`;
}

async function serveStdio(cli: Cli, command: Command, options: ServeOptions): Promise<void> {
  const chosen = chooseProject(cli.terminal, options.project);
  warnOfUntrusted(cli, chosen);
  const { dataDir }: { dataDir?: string } = command.optsWithGlobals();
  const { mode, user } = options;
  const request = { mode, user, dataDir: dataDir && resolve(cli.terminal.cwd, dataDir) };
  const program = chosen.project && (await findProgramToStart(cli, chosen.project, request));
  if (program !== null) process.exitCode = await startProjectProgram(program);
  else await serveThisHub(cli, command, chosen, user);
}

async function serveThisHub(
  cli: Cli,
  command: Command,
  { folder, untrusted }: ChosenProject,
  user: string | undefined,
): Promise<void> {
  const { claimStdout } = await import("@hub/server/mcp/stdio/claim-stdout.ts");
  // Before any other import, because modules may print when they load.
  const stdout = claimStdout();
  const controller = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => controller.abort());
  const location = { cwd: folder, ignoresProject: untrusted !== null };
  const { hub, log, warnings } = await cli.openHub(command, "stdio", location);
  const stopLogging = logUncaughtErrors(log);
  const { stdin, stderr } = cli.terminal;
  try {
    warnings.push(...findUnusedData(untrusted, hub.config.dataDir));
    for (const warning of warnings) stderr.write(`warning: ${toPrintable(warning)}\n`);
    if (stdin.isTTY) stderr.write(toTerminalHint(cli.name));
    await hub.serveStdio({
      input: stdin,
      output: stdout.output,
      userId: user === undefined ? null : await findUserId(hub, user),
      command: toShellCommand(hub.config.dataDir),
      signal: controller.signal,
    });
  } finally {
    await hub.close();
    stopLogging();
    stdout.release();
    end.stop();
    // A client may leave the pipe open, which would keep the process running.
    stdin.destroy();
  }
}

/** A stranger's data folder could contain plugins, which are programs. */
function findUnusedData(untrusted: ChosenProject["untrusted"], used: string): string[] {
  if (untrusted === null) return [];
  const dataDir = join(untrusted.folder, ".hub");
  if (dataDir === used || !existsSync(dataDir)) return [];
  return [
    `The data folder ${dataDir} is not used, because it may not be yours. This hub uses ${used}. To use the other one, add --project ${quote(untrusted.folder)}.`,
  ];
}

/** Explains to a user on a terminal why nothing happens. */
function toTerminalHint(name: string): string {
  return `Waiting for an MCP client on standard input. "${name} mcp config" prints the entry for a client. Press Ctrl-C to stop.\n`;
}

async function findUserId(hub: Hub, email: string): Promise<string> {
  const { createLookups } = await import("../look-ups/look-up-names.ts");
  return (await createLookups(hub.services.store).findUser(email)).id;
}
