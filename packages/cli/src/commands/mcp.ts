import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Hub } from "@hub/server/hub.ts";
import { toDefaultBaseUrl } from "@hub/server/lib/bind-host.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { toClientEntries } from "../client-entries.ts";
import { logUncaughtErrors } from "../log-uncaught-errors.ts";
import { toShellCommand } from "../self-command.ts";
import { toStdioServer } from "../stdio-server.ts";
import { toUsageError } from "../usage-error.ts";
import { waitForEnd } from "../wait-for-end.ts";

const modes = ["auto", "dev", "build", "rebuild"] as const;
type Mode = (typeof modes)[number];

type ServeOptions = { user?: string; project?: string; mode: Mode };
type ConfigOptions = { name: string; user?: string; mode: Mode };

export function define(mcp: Command, cli: Cli): void {
  mcp
    .command("serve")
    .description("serve one MCP client over stdin and stdout, as a local admin who sees all rows")
    .option("--user <email>", "act as this user, with the rows that the user's tags allow")
    .option("--project <folder>", "project whose data folder is used (default: current folder)")
    .addOption(toModeOption())
    .addHelpText("after", `\nExample:\n  $ ${cli.name} mcp serve --user ada@example.com`)
    .action((options: ServeOptions, command: Command) => serveStdio(cli, command, options));

  mcp
    .command("config")
    .description("print the entry for the configuration file of each MCP client")
    .option("--name <name>", "name of this server in the client", "hub")
    .option("--user <email>", "act as this user instead of a local admin")
    .addOption(toModeOption())
    .addHelpText("after", `\nExample:\n  $ ${cli.name} mcp config --name tracker`)
    .action((options: ConfigOptions, command: Command) => printConfig(cli, command, options));
}

function toModeOption(): Option {
  return new Option("--mode <mode>", "run from source (auto, dev) or from a build")
    .choices([...modes])
    .default("auto");
}

/** Only the modes that run from source exist yet. */
function checkMode(mode: Mode): void {
  if (mode === "auto" || mode === "dev") return;
  throw toUsageError(`--mode ${mode} does not exist yet. Use --mode auto, which runs from source.`);
}

async function serveStdio(cli: Cli, command: Command, options: ServeOptions): Promise<void> {
  checkMode(options.mode);
  const project = resolve(cli.terminal.cwd, options.project ?? ".");
  await checkFolder(project);
  const { claimStdout } = await import("@hub/server/mcp/claim-stdout.ts");
  // Before any other import, because modules may print when they load.
  const stdout = claimStdout();
  const controller = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => controller.abort());
  const { hub, log, warnings } = await cli.openHub(command, "stdio", project);
  const stopLogging = logUncaughtErrors(log);
  const { stdin, stderr } = cli.terminal;
  try {
    for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
    if (stdin.isTTY) stderr.write(toTerminalHint(cli.name));
    await hub.serveStdio({
      input: stdin,
      output: stdout.output,
      userId: options.user === undefined ? null : await findUserId(hub, options.user),
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

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw toUsageError(`--project: the folder ${folder} does not exist.`);
}

/** Explains to a user on a terminal why nothing happens. */
function toTerminalHint(name: string): string {
  return `Waiting for an MCP client on standard input. "${name} mcp config" prints the entry for a client. Press Ctrl-C to stop.\n`;
}

async function printConfig(cli: Cli, command: Command, options: ConfigOptions): Promise<void> {
  const { name, user, mode } = options;
  checkMode(mode);
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw toUsageError("--name must be 1 to 64 letters, digits, _ or -.");
  }
  const { config } = await cli.loadConfig(command);
  const baseUrl = await findBaseUrl(cli, command, user);
  const extraArgs = user === undefined ? [] : ["--user", user];
  const server = toStdioServer(config, { baseUrl, extraArgs });
  const entries = toClientEntries(name, server, cli.terminal.env);
  const text = entries.map(({ client, file, text: entry }) => `${client}: ${file}\n\n${entry}\n`);
  const notes = [
    "Add the entry to the client's file, keep the file's other content, and restart the client.",
  ];
  if (config.readEncKey() !== null) {
    notes.push("HUB_ENC_KEY is set here but is not in the entries. Set it for the client too.");
  }
  cli.print(command, { json: entries, text: `${text.join("\n")}\n${notes.join("\n")}` });
}

async function findUserId(hub: Hub, email: string): Promise<string> {
  const { createLookups } = await import("../lookups.ts");
  return (await createLookups(hub.services.store).findUser(email)).id;
}

/**
 * Returns the base URL of this hub's pages. Throws for an unknown user, because the client would
 * only report that the server does not start.
 */
async function findBaseUrl(cli: Cli, command: Command, user: string | undefined): Promise<string> {
  const { config } = await cli.loadConfig(command);
  const { hasDatabase } = await import("@hub/server/store/sqlite-connections.ts");
  // This command must not create a data folder.
  if (user === undefined && !hasDatabase(config.dataDir)) {
    return config.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
  }
  const { hub } = await cli.openHub(command, "cli");
  try {
    if (user !== undefined) await findUserId(hub, user);
    return await hub.findServedBaseUrl();
  } finally {
    await hub.close();
  }
}
