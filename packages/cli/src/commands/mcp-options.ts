import { type Command, Option } from "commander";
import { allClients, mainClients } from "../clients/all-clients.ts";
import type { Client } from "../clients/client-definition.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { quote } from "../process/shell-command.ts";
import { runModes } from "../project/run-modes.ts";

const clientIds = allClients.map(({ id }) => id);

export function addNameOption(command: Command): Command {
  return command.option("--name <name>", "name of this server in the client", "hub");
}

/** Clients show the name to models as a part of the names of tools. */
export function checkName(name: string): void {
  if (/^[\w-]{1,64}$/.test(name) && name !== "__proto__") return;
  throw toUsageError("--name must be 1 to 64 letters, digits, _ or -.");
}

export function toClientOption(description: string): Option {
  return new Option("--client <target>", description).choices([...clientIds, "all"]);
}

export function chooseClients(target: string): readonly Client[] {
  return target === "all" ? mainClients : allClients.filter(({ id }) => id === target);
}

/** The options of another command, with the quotes that a shell needs. Undefined ones are left out. */
export function toOptionWords(options: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(options).flatMap(([option, value]) =>
    value === undefined ? [] : [option, quote(value)],
  );
}

export function toProjectOption(): Option {
  return new Option(
    "--project <folder>",
    "project that is run, with its data folder (default: current folder)",
  );
}

export function toModeOption(): Option {
  return new Option(
    "--mode <mode>",
    "build the program if the sources changed (auto), if it is missing (build) or always (rebuild), or run from source (dev)",
  )
    .choices([...runModes])
    .default("auto");
}
