import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { toClientEntries } from "../client-entries.ts";
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
    .option("--user <email>", "act as this user, who sees what their tags show")
    .option("--project <folder>", "the project whose data folder is used (default: this folder)")
    .addOption(toModeOption())
    .addHelpText("after", `\nExample:\n  $ ${cli.name} mcp serve --user ada@example.com`)
    .action((options: ServeOptions, command: Command) => serveStdio(cli, command, options));

  mcp
    .command("config")
    .description("print what to put into which client's configuration file")
    .option("--name <name>", "what the client calls this server", "hub")
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

/** Of the modes, those that run from source exist; a client must not be left waiting for a build. */
function checkMode(mode: Mode): void {
  if (mode === "auto" || mode === "dev") return;
  throw toUsageError(`--mode ${mode} does not exist yet. Use --mode auto, which runs from source.`);
}

async function serveStdio(cli: Cli, command: Command, options: ServeOptions): Promise<void> {
  checkMode(options.mode);
  const { claimStdout } = await import("@hub/server/mcp/claim-stdout.ts");
  // First of all: whatever is loaded from here on may print.
  const stdout = claimStdout();
  const controller = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => controller.abort());
  const project = resolve(cli.terminal.cwd, options.project ?? ".");
  const { hub, warnings } = await cli.openHub(command, "stdio", project);
  try {
    for (const warning of warnings) cli.terminal.stderr.write(`warning: ${warning}\n`);
    await hub.serveStdio({
      input: cli.terminal.stdin,
      output: stdout.output,
      user: options.user ?? null,
      signal: controller.signal,
    });
  } finally {
    await hub.close();
    stdout.release();
    end.stop();
    // A client that was told to end the hub may leave the pipe open, which would keep it alive.
    cli.terminal.stdin.destroy();
  }
}

async function printConfig(cli: Cli, command: Command, options: ConfigOptions): Promise<void> {
  const { name, user, mode } = options;
  checkMode(mode);
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw toUsageError("--name takes letters, digits, _ and -, since it becomes a key in files.");
  }
  const { config } = await cli.loadConfig(command);
  const server = toStdioServer(config, user === undefined ? [] : ["--user", user]);
  const entries = toClientEntries(name, server, cli.terminal.env);
  const text = entries.map(({ client, file, text: entry }) => `${client}: ${file}\n\n${entry}\n`);
  const note =
    config.readEncKey() === null
      ? ""
      : "\nHUB_ENC_KEY is set here and not in the entries: give it to the clients' environment too.\n";
  cli.print(command, { json: entries, text: `${text.join("\n")}${note}`.trimEnd() });
}
