import type { ConnectorDefinition } from "@hub/connector";
import { createCli } from "./cli.ts";
import { reportFailure } from "./errors/report-failure.ts";
import { runPart } from "./process/program-parts.ts";
import { openTerminal } from "./process/terminal.ts";
import { createProgram, isCommand } from "./program.ts";

/** Options of {@link runHub}. */
export type RunHubOptions = {
  /** Your connectors, in addition to the built-in ones. Their keys must be unique. */
  connectors?: readonly ConnectorDefinition[];
  /** Name of your program in help and messages. The default is `hub`. */
  name?: string;
  /** Version of your program, shown by its `version` command beside the hub's. */
  version?: string;
};

/**
 * Runs the hub's whole command line (`serve`, `mcp serve` and all other commands) with your
 * connectors built in. Resolves when the command is done. Does not throw: a failure is printed on
 * standard error and sets the exit code (1, or 2 for wrong usage).
 *
 * @example
 * // main.ts, started with `bun main.ts serve`
 * import { runHub } from "@hub/cli";
 * import { tracker } from "./tracker.ts";
 *
 * await runHub({ connectors: [tracker], name: "acme-hub", version: "1.2.0" });
 */
export async function runHub(options: RunHubOptions = {}): Promise<void> {
  if (await runPart(process.argv)) return;
  const { connectors = [], name = "hub", version = null } = options;
  const terminal = openTerminal(toArguments(process.argv.slice(2)));
  const cli = createCli({ terminal, connectors, name, version });
  try {
    const program = await createProgram(cli);
    await program.parseAsync(terminal.argv, { from: "user" });
  } catch (thrown) {
    process.exitCode = reportFailure(terminal, thrown, terminal.argv.includes("--json"));
  }
}

/** Translates common spellings, such as `--version`, into commands of this program. */
function toArguments(typed: readonly string[]): readonly string[] {
  const [first = "", ...rest] = typed;
  if (first === "--version" || first === "-V") return ["version", ...rest];
  // Other words after `help` name pages of the documentation.
  if (first === "help" && isCommand(rest[0])) return [...rest, "--help"];
  return typed;
}
