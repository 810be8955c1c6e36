import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { MistypedError } from "./usage-error.ts";

/** A group of commands. Its module is loaded only when its name is on the command line. */
type Group = {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command, cli: Cli): void }>;
};

const groups: readonly Group[] = [
  { name: "serve", summary: "start the server", load: () => import("./commands/serve.ts") },
  {
    name: "mcp",
    summary: "MCP over stdin and stdout, and the entries for clients",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "user", summary: "users and their passwords", load: () => import("./commands/user.ts") },
  { name: "token", summary: "personal access tokens", load: () => import("./commands/token.ts") },
  {
    name: "app",
    summary: "applications that users connected by OAuth",
    load: () => import("./commands/app.ts"),
  },
  { name: "row", summary: "configured connectors", load: () => import("./commands/row.ts") },
  {
    name: "channel",
    summary: "rows of chat platforms",
    load: () => import("./commands/channel.ts"),
  },
  {
    name: "bridge",
    summary: "operations that rows bring: discover, review, approve",
    load: () => import("./commands/bridge.ts"),
  },
  { name: "op", summary: "operations of a row", load: () => import("./commands/op.ts") },
  { name: "type", summary: "connector types", load: () => import("./commands/type.ts") },
  {
    name: "plugin",
    summary: "connectors that are installed into a running hub",
    load: () => import("./commands/plugin.ts"),
  },
  { name: "runs", summary: "recorded calls", load: () => import("./commands/runs.ts") },
  {
    name: "workflow",
    summary: "workflows: drafts, versions, tags, owners and secrets",
    load: () => import("./commands/workflow.ts"),
  },
  {
    name: "setting",
    summary: "settings that can be changed while the hub runs",
    load: () => import("./commands/setting.ts"),
  },
  { name: "keys", summary: "master keys", load: () => import("./commands/keys.ts") },
  {
    name: "encrypt",
    summary: "encrypt a secret value as a token",
    load: () => import("./commands/encrypt.ts"),
  },
  {
    name: "decrypt",
    summary: "show the value of a token on a terminal",
    load: () => import("./commands/decrypt.ts"),
  },
  {
    name: "migrate",
    summary: "bring the database to the schema of this version",
    load: () => import("./commands/migrate.ts"),
  },
  {
    name: "db",
    summary: "copy a data folder to PostgreSQL",
    load: () => import("./commands/db.ts"),
  },
  {
    name: "backup",
    summary: "write the data folder's database to a file",
    load: () => import("./commands/backup.ts"),
  },
  {
    name: "restore",
    summary: "restore a backup into an empty data folder",
    load: () => import("./commands/restore.ts"),
  },
  {
    name: "export",
    summary: "print the hub as a file",
    load: () => import("./commands/export.ts"),
  },
  {
    name: "apply",
    summary: "make the hub what a file says",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "service",
    summary: "let the system start the hub",
    load: () => import("./commands/service.ts"),
  },
  {
    name: "doctor",
    summary: "check the data folder, keys, settings and rows",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "version",
    summary: "print the version",
    load: () => import("./commands/version.ts"),
  },
];

/** Creates the whole command line. Groups that are not called have only a name and a summary. */
export async function createProgram(cli: Cli): Promise<Command> {
  const program = new Command(cli.name)
    .description("A hub between your systems and your LLM clients.")
    .option("--json", "print one JSON document and nothing else")
    .option("--data-dir <folder>", "folder of the database and the key file (HUB_DATA_DIR)")
    .addHelpText("after", toExamples(cli.name));
  program.configureHelp({
    showGlobalOptions: true,
    // Only the options of the program: the options of `runs` do not apply to `runs show`.
    visibleGlobalOptions: (command) => (command === program ? [] : [...program.options]),
  });
  for (const group of groups) {
    const command = program.command(group.name).summary(group.summary).description(group.summary);
    if (cli.terminal.argv.includes(group.name)) (await group.load()).define(command, cli);
  }
  beQuiet(program);
  return program;
}

function toExamples(name: string): string {
  return `
Examples:
  $ ${name} serve
  $ ${name} user add ada@example.com --tag support
  $ ${name} row add http --label "Issue tracker" --set base_url=https://api.example.com --tag support
  $ ${name} row add --help`;
}

/** Makes Commander throw its errors, so that all failures are printed in one place and format. */
function beQuiet(command: Command, path = command.name()): void {
  command.configureOutput({ outputError: () => {} }).exitOverride((mistake) => {
    throw new MistypedError(mistake, path);
  });
  for (const subcommand of command.commands) beQuiet(subcommand, `${path} ${subcommand.name()}`);
}
