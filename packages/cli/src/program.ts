import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { MistypedError } from "./usage-error.ts";

/** A group of commands. Its module is loaded only when its name stands on the command line. */
type Group = {
  name: string;
  summary: string;
  load(): Promise<{ define(command: Command, cli: Cli): void }>;
};

const groups: readonly Group[] = [
  { name: "serve", summary: "start the server", load: () => import("./commands/serve.ts") },
  {
    name: "mcp",
    summary: "MCP over stdin and stdout, and how clients start it",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "user", summary: "people who may call tools", load: () => import("./commands/user.ts") },
  { name: "token", summary: "personal access tokens", load: () => import("./commands/token.ts") },
  {
    name: "app",
    summary: "applications that users connected by OAuth",
    load: () => import("./commands/app.ts"),
  },
  { name: "row", summary: "configured connectors", load: () => import("./commands/row.ts") },
  { name: "op", summary: "operations of a row", load: () => import("./commands/op.ts") },
  { name: "type", summary: "connector types", load: () => import("./commands/type.ts") },
  {
    name: "plugin",
    summary: "connectors that are installed into a running hub",
    load: () => import("./commands/plugin.ts"),
  },
  { name: "runs", summary: "recorded calls", load: () => import("./commands/runs.ts") },
  {
    name: "setting",
    summary: "settings that can be changed while the hub runs",
    load: () => import("./commands/setting.ts"),
  },
  { name: "keys", summary: "master keys", load: () => import("./commands/keys.ts") },
  {
    name: "encrypt",
    summary: "make a token of a secret value",
    load: () => import("./commands/encrypt.ts"),
  },
  {
    name: "decrypt",
    summary: "show what a token stands for, on a terminal",
    load: () => import("./commands/decrypt.ts"),
  },
  { name: "doctor", summary: "check that all is well", load: () => import("./commands/doctor.ts") },
  {
    name: "version",
    summary: "say which version this is",
    load: () => import("./commands/version.ts"),
  },
];

/** The whole command line. Groups that are not called are known by name and summary only. */
export async function createProgram(cli: Cli): Promise<Command> {
  const program = new Command(cli.name)
    .description("A hub between people's systems and their LLM clients.")
    .option("--json", "print one JSON document and nothing else")
    .option("--data-dir <folder>", "folder of the database and the key file (HUB_DATA_DIR)")
    .addHelpText("after", toExamples(cli.name));
  program.configureHelp({
    showGlobalOptions: true,
    // Only what every command takes: what `runs` takes is nothing to `runs show`.
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

/** Failures are thrown, not printed, so that all of them are told in one place and form. */
function beQuiet(command: Command, path = command.name()): void {
  command.configureOutput({ outputError: () => {} }).exitOverride((mistake) => {
    throw new MistypedError(mistake, path);
  });
  for (const subcommand of command.commands) beQuiet(subcommand, `${path} ${subcommand.name()}`);
}
