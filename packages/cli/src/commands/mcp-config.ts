import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { allClients } from "../clients/all-clients.ts";
import { printEntry } from "../clients/config-files/entry-edits.ts";
import { findClientFile } from "../clients/find-client-file.ts";
import { toMachine } from "../clients/machine.ts";
import { findUnwrittenSecrets } from "../clients/unwritten-secrets.ts";
import { findStdioServer } from "../process/find-stdio-server.ts";
import type { RunMode } from "../project/run-modes.ts";
import { toPrintable } from "../text/table.ts";
import { checkName, chooseClients, toOptionWords } from "./mcp-options.ts";

export type ConfigOptions = {
  client?: string;
  name: string;
  user?: string;
  project?: string;
  mode: RunMode;
};

export async function printConfig(
  cli: Cli,
  command: Command,
  options: ConfigOptions,
): Promise<void> {
  const { client: target, name, mode, project, user } = options;
  checkName(name);
  const server = await findStdioServer(cli, command, { mode, project, user });
  const machine = toMachine(cli.terminal.env);
  const clients = target === undefined ? allClients : chooseClients(target);
  const entries = clients.map((client) => ({
    client: client.title,
    target: client.id,
    file: findClientFile(client, machine),
    text: printEntry(client, name, client.toStdioEntry(server)),
  }));
  const text = entries.map(
    ({ client, file, text: entry }) => `${client}: ${toPrintable(file)}\n\n${entry}\n`,
  );
  const notes = [
    `To write an entry, run: ${toInstallCommand(cli, command, options)}`,
    "Or add it to the client's file, keep the file's other content, and restart the client.",
  ];
  for (const variable of findUnwrittenSecrets(cli.terminal.env)) {
    notes.push(`${variable} is set here but is not in the entries. Set it for the client too.`);
  }
  cli.print(command, { json: entries, text: `${text.join("\n")}\n${notes.join("\n")}` });
}

/** The command that writes the printed entry. */
function toInstallCommand(
  { name: program, terminal }: Cli,
  command: Command,
  { client, name, user, project, mode }: ConfigOptions,
): string {
  const { dataDir }: { dataDir?: string } = command.optsWithGlobals();
  const toPath = (folder?: string) => folder && resolve(terminal.cwd, folder);
  const options = toOptionWords({
    "--client": client ?? allClients[0]?.id,
    "--name": name === "hub" ? undefined : name,
    "--user": user,
    "--project": toPath(project),
    "--mode": mode === "auto" ? undefined : mode,
    "--data-dir": toPath(dataDir),
  });
  return [program, "mcp", "install", ...options].join(" ");
}
