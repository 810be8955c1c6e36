import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import type { ConfigOptions } from "./mcp-config.ts";
import type { InstallOptions } from "./mcp-install.ts";
import { addNameOption, toClientOption, toModeOption, toProjectOption } from "./mcp-options.ts";
import type { UninstallOptions } from "./mcp-uninstall.ts";

/**
 * Defines the commands for the entries in clients' files. What they run is loaded when they run,
 * because clients wait for the start of `mcp serve`.
 */
export function defineEntries(mcp: Command, cli: Cli): void {
  defineConfig(mcp, cli);
  defineInstall(mcp, cli);
  defineUninstall(mcp, cli);
}

function defineConfig(mcp: Command, cli: Cli): void {
  addNameOption(mcp.command("config"))
    .description("print the entry for the configuration file of each MCP client")
    .addOption(toClientOption("only this client, or all for the first five"))
    .option("--user <email>", "act as this user instead of a local admin")
    .addOption(toProjectOption())
    .addOption(toModeOption())
    .addHelpText("after", `\nExample:\n  $ ${cli.name} mcp config --name tracker`)
    .action(async (options: ConfigOptions, command: Command) => {
      const { printConfig } = await import("./mcp-config.ts");
      await printConfig(cli, command, options);
    });
}

function defineInstall(mcp: Command, cli: Cli): void {
  addNameOption(mcp.command("install"))
    .description("write the entry of this hub into a client's file, so that the client starts it")
    .addOption(
      toClientOption("client, or all for the first five that are installed").default(
        "claude-desktop",
      ),
    )
    .option("--user <email>", "act as this user instead of a local admin")
    .addOption(toProjectOption())
    .addOption(toModeOption())
    .option("--http", "write the server's address and a new token of --user, instead of a program")
    .option("--replace", "replace another server of this name")
    .option("--dry-run", "print what would change, and write nothing")
    .addHelpText(
      "after",
      `
The file keeps its other content. Its first version is kept beside it as .bak.

Examples:
  $ ${cli.name} mcp install --client codex
  $ ${cli.name} mcp install --client all --dry-run
  $ ${cli.name} mcp install --client cursor --http --user ada@example.com`,
    )
    .action(async (options: InstallOptions, command: Command) => {
      const { install } = await import("./mcp-install.ts");
      await install(cli, command, options);
    });
}

function defineUninstall(mcp: Command, cli: Cli): void {
  addNameOption(mcp.command("uninstall"))
    .description("remove the entry of this hub from a client's file")
    .addOption(toClientOption("client, or all for the first five").default("claude-desktop"))
    .addOption(toProjectOption())
    .option("--dry-run", "print what would change, and write nothing")
    .addHelpText("after", `\nExample:\n  $ ${cli.name} mcp uninstall --client codex`)
    .action(async (options: UninstallOptions, command: Command) => {
      const { uninstall } = await import("./mcp-uninstall.ts");
      await uninstall(cli, command, options);
    });
}
