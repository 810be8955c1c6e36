import type { ConnectorDefinition } from "@hub/connector";
import { createCli } from "./cli.ts";
import { createProgram } from "./program.ts";
import { reportFailure } from "./report-failure.ts";
import { openTerminal } from "./terminal.ts";

/** What a downstream project adds to the hub. */
export type RunHubOptions = {
  /** Connectors of your own, beside the hub's. Their keys must be free. */
  connectors?: readonly ConnectorDefinition[];
  /** Name of your program in help and messages; `hub` when left out. */
  name?: string;
  /** Version of your program, shown by its `version` command beside the hub's. */
  version?: string;
};

/**
 * Runs the hub's whole command line with connectors of your own built in: `serve`, `mcp serve` and
 * all the rest. Resolves when the command is done; a failure is told on standard error and sets
 * the exit code (1, or 2 for wrong usage), it does not throw.
 *
 * @example
 * // main.ts, started with `bun main.ts serve`
 * import { runHub } from "@hub/cli";
 * import { tracker } from "./tracker.ts";
 *
 * await runHub({ connectors: [tracker], name: "acme-hub", version: "1.2.0" });
 */
export async function runHub(options: RunHubOptions = {}): Promise<void> {
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

/** What people type from habit, as this command line has it. */
function toArguments(typed: readonly string[]): readonly string[] {
  const [first = "", ...rest] = typed;
  if (first === "--version" || first === "-V") return ["version", ...rest];
  // Commander's own `help` takes one name; commands here have two.
  if (first === "help" && rest.length > 1) return [...rest, "--help"];
  return typed;
}
