import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { define as definePlugin } from "../wick/wick-commands.ts";

export function define(wick: Command, cli: Cli): void {
  const plugin = wick.command("plugin").description("make, test, sign and publish plugins");
  definePlugin(plugin, cli.terminal, { wick: `${cli.name} wick`, hub: cli.name });
}
