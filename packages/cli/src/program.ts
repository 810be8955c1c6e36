import { Command } from "commander";
import type { Cli } from "./cli.ts";
import { commandsOfOthers } from "./commands-of-others.ts";
import { MistypedError } from "./errors/usage-error.ts";

/** A group of commands. Its module is loaded only when its name is on the command line. */
type Group = {
  name: string;
  summary: string;
  /** The page of the documentation that a user of these commands reads first. */
  page?: string;
  load(): Promise<{ define(command: Command, cli: Cli): void }>;
};

const groups: readonly Group[] = [
  {
    name: "serve",
    summary: "start the server",
    page: "reference/settings",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "mcp",
    summary: "MCP over stdin and stdout, and the entries for clients",
    page: "guide/connect-clients",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "user",
    summary: "users and their passwords",
    page: "guide/sign-in",
    load: () => import("./commands/user.ts"),
  },
  {
    name: "group",
    summary: "what groups of your directory give to their members",
    page: "guide/groups",
    load: () => import("./commands/group.ts"),
  },
  {
    name: "token",
    summary: "personal access tokens",
    page: "reference/tokens",
    load: () => import("./commands/token.ts"),
  },
  {
    name: "scim",
    summary: "programs of identity providers that make and disable users",
    page: "guide/scim",
    load: () => import("./commands/scim.ts"),
  },
  {
    name: "service-user",
    summary: "users for programs",
    page: "guide/machines",
    load: () => import("./commands/service-user.ts"),
  },
  {
    name: "machine-client",
    summary: "clients that get tokens without a browser",
    page: "guide/machines",
    load: () => import("./commands/machine-client.ts"),
  },
  {
    name: "trusted-issuer",
    summary: "issuers whose signed assertions open the hub",
    page: "guide/machines",
    load: () => import("./commands/trusted-issuer.ts"),
  },
  {
    name: "app",
    summary: "applications that users connected by OAuth",
    page: "guide/connect-clients",
    load: () => import("./commands/app.ts"),
  },
  {
    name: "account",
    summary: "accounts of users in rows",
    page: "guide/accounts",
    load: () => import("./commands/account.ts"),
  },
  {
    name: "row",
    summary: "configured connectors",
    page: "guide/http-connector",
    load: () => import("./commands/row.ts"),
  },
  {
    name: "channel",
    summary: "rows of chat platforms",
    page: "reference/channels",
    load: () => import("./commands/channel.ts"),
  },
  {
    name: "bridge",
    summary: "operations that rows bring: discover, review, approve",
    page: "guide/bridges",
    load: () => import("./commands/bridge.ts"),
  },
  {
    name: "rule",
    summary: "rules that ask a person before an operation runs",
    page: "guide/asking",
    load: () => import("./commands/rule.ts"),
  },
  {
    name: "secret-source",
    summary: "secret managers from which rows and workflows get secrets",
    page: "guide/secret-managers",
    load: () => import("./commands/secret-source.ts"),
  },
  {
    name: "secret-reference",
    summary: "secrets of secret managers, and where they may go",
    page: "guide/secret-managers",
    load: () => import("./commands/secret-reference.ts"),
  },
  {
    name: "approval",
    summary: "calls that wait for a person",
    page: "guide/asking",
    load: () => import("./commands/approval.ts"),
  },
  { name: "op", summary: "operations of a row", load: () => import("./commands/op.ts") },
  { name: "type", summary: "connector types", load: () => import("./commands/type.ts") },
  {
    name: "plugin",
    summary: "connectors that are installed into a running hub",
    page: "guide/first-plugin",
    load: () => import("./commands/plugin.ts"),
  },
  {
    name: "call",
    summary: "call several operations that read in one message",
    page: "reference/meta-tools",
    load: () => import("./commands/call.ts"),
  },
  { name: "runs", summary: "recorded calls", load: () => import("./commands/runs.ts") },
  {
    name: "workflow",
    summary: "workflows: drafts, versions, tags, owners and secrets",
    page: "guide/workflows",
    load: () => import("./commands/workflow.ts"),
  },
  {
    name: "setting",
    summary: "settings that can be changed while the hub runs",
    page: "reference/settings",
    load: () => import("./commands/setting.ts"),
  },
  {
    name: "keys",
    summary: "master keys",
    page: "reference/settings",
    load: () => import("./commands/keys.ts"),
  },
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
    page: "guide/postgresql",
    load: () => import("./commands/migrate.ts"),
  },
  {
    name: "db",
    summary: "copy a data folder to PostgreSQL",
    page: "guide/postgresql",
    load: () => import("./commands/db.ts"),
  },
  {
    name: "backup",
    summary: "write the data folder's database to a file",
    page: "guide/backup",
    load: () => import("./commands/backup.ts"),
  },
  {
    name: "restore",
    summary: "restore a backup into an empty data folder",
    page: "guide/backup",
    load: () => import("./commands/restore.ts"),
  },
  {
    name: "export",
    summary: "print the hub as a file",
    page: "guide/hub-file",
    load: () => import("./commands/export.ts"),
  },
  {
    name: "apply",
    summary: "make the hub what a file says",
    page: "guide/hub-file",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "service",
    summary: "let the system start the hub",
    page: "guide/one-file",
    load: () => import("./commands/service.ts"),
  },
  {
    name: "doctor",
    summary: "check the data folder, keys, settings and rows",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "wick",
    summary: "make, test, sign and publish plugins",
    page: "guide/first-plugin",
    load: () => import("./commands/wick.ts"),
  },
  {
    name: "version",
    summary: "print the version",
    load: () => import("./commands/version.ts"),
  },
  {
    name: "help",
    summary: "show the help of a command, or a page of the documentation",
    load: () => import("./commands/help.ts"),
  },
];

/** Whether a word begins a command. */
export function isCommand(word: string | undefined): boolean {
  return groups.some(({ name }) => name === word);
}

/** Creates the whole command line. Groups that are not called have only a name and a summary. */
export async function createProgram(cli: Cli): Promise<Command> {
  const program = new Command(cli.name)
    .description("A hub between your systems and your LLM clients.")
    .option("--json", "print one JSON document and nothing else")
    .option("--data-dir <folder>", "folder of the database and the key file (HUB_DATA_DIR)")
    .addHelpText("after", toExamples(cli.name))
    .helpCommand(false);
  program.configureHelp({
    showGlobalOptions: true,
    // Only the options of the program: the options of `runs` do not apply to `runs show`.
    visibleGlobalOptions: (command) => (command === program ? [] : [...program.options]),
  });
  for (const group of groups) {
    const command = program.command(group.name).summary(group.summary).description(group.summary);
    if (group.page !== undefined) {
      command.addHelpText("after", `\nRead more: ${cli.name} help ${group.page}`);
    }
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
  $ ${name} row add --help

Documentation: ${name} help topics`;
}

/** Makes Commander throw its errors, so that all failures are printed in one place and format. */
function beQuiet(command: Command, path = command.name()): void {
  command.configureOutput({ outputError: () => {} }).exitOverride((mistake) => {
    const word = /^error: unknown command '([a-z-]{1,20})'$/.exec(mistake.message)?.[1];
    const meant = word === undefined ? undefined : commandsOfOthers[word];
    if (meant !== undefined) mistake.message += ` (Did you mean ${meant}?)`;
    throw new MistypedError(mistake, path);
  });
  for (const subcommand of command.commands) beQuiet(subcommand, `${path} ${subcommand.name()}`);
}
