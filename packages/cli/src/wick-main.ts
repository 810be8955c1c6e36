import { Command } from "commander";
import { reportFailure } from "./report-failure.ts";
import { openTerminal } from "./terminal.ts";
import { define } from "./wick/plugin.ts";

const terminal = openTerminal(process.argv.slice(2));
// What the program prints for typing again works as printed: where npx ran it, npx finds it.
const npx = terminal.env.npm_command === "exec" ? "npx " : "";
const program = new Command(`${npx}wick`)
  .description("Makes, signs and publishes plugins for the hub.")
  .option("--json", "print one JSON document and nothing else")
  .configureHelp({ showGlobalOptions: true, sortSubcommands: false });
define(program.command("plugin").description("make, sign and publish plugins"), terminal, npx);
beQuiet(program);
try {
  await program.parseAsync(terminal.argv, { from: "user" });
} catch (thrown) {
  process.exitCode = reportFailure(terminal, thrown, terminal.argv.includes("--json"));
}

/** Failures are thrown, not printed, so that all of them are told in one place and form. */
function beQuiet(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => {} });
  for (const subcommand of command.commands) beQuiet(subcommand);
}
