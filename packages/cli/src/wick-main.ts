import { Command } from "commander";
import { reportFailure } from "./errors/report-failure.ts";
import { openTerminal } from "./process/terminal.ts";
import { define } from "./wick/wick-commands.ts";

const terminal = openTerminal(process.argv.slice(2));
// Printed commands must work as printed. If npx started this program, they need npx too.
const npx = terminal.env.npm_command === "exec" ? "npx " : "";
const program = new Command(`${npx}wick`)
  .description("Makes, tests, signs and publishes plugins for the hub.")
  .option("--json", "print one JSON document and nothing else")
  .configureHelp({ showGlobalOptions: true, sortSubcommands: false });
const plugin = program.command("plugin").description("make, test, sign and publish plugins");
define(plugin, terminal, { wick: `${npx}wick`, hub: `${npx}hub` });
beQuiet(program);
try {
  await program.parseAsync(terminal.argv, { from: "user" });
} catch (thrown) {
  process.exitCode = reportFailure(terminal, thrown, terminal.argv.includes("--json"));
}

/** Makes Commander throw its errors, so that all failures are printed in one place and format. */
function beQuiet(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} });
  for (const subcommand of command.commands) beQuiet(subcommand);
}
