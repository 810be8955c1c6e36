import type { Config } from "@hub/server/config.ts";
import { toDefaultBaseUrl } from "@hub/server/lib/network/bind-host.ts";
import {
  findSelfCommand,
  type SelfCommand,
  toSourceCommand,
} from "@hub/server/lib/process/self-command.ts";
import type { Command } from "commander";
import type { Cli, ConfigLocation } from "../cli.ts";
import type { StdioServer } from "../clients/client-definition.ts";
import { type ChosenProject, chooseProject } from "../project/choose-project.ts";
import { ensureProgram, predictProgramPath } from "../project/ensure-program.ts";
import type { Project } from "../project/find-project.ts";
import { findOwnProject } from "../project/own-project.ts";
import type { RunMode } from "../project/run-modes.ts";
import { toPrintable } from "../text/table.ts";
import { quote } from "./shell-command.ts";

const defaultBaseUrl = "http://localhost:7420";

type ServerOptions = {
  mode: RunMode;
  /** Of `--project`; undefined for the working folder. */
  project?: string;
  /** The e-mail of the user that the client acts as; undefined for the local admin. */
  user?: string;
  /** Nothing is built. The entry names the program that would be built. */
  isDryRun?: boolean;
};

/**
 * Returns how an MCP client starts the hub on this data folder. Builds the program first, unless
 * the mode runs from source. All paths are absolute. Secrets of the environment are left out,
 * because they would end up in the client's file. The base URL is included, so that links to the
 * hub's pages work. Throws for an unknown user, because the client would only report that the
 * server does not start.
 */
export async function findStdioServer(
  cli: Cli,
  command: Command,
  { mode, project, user, isDryRun = false }: ServerOptions,
): Promise<StdioServer> {
  const chosen = chooseProject(cli.terminal, project);
  warnOfUntrusted(cli, chosen);
  // The warning says that the project is not used, so its data folder is not used either.
  const location = { cwd: chosen.folder, ignoresProject: Boolean(chosen.untrusted?.project) };
  const { config } = await cli.loadConfig(command, location);
  const baseUrl = await findBaseUrl(cli, command, { location, user });
  const target = chosen.project ?? findOwnProject();
  const start =
    target === null ? findOwnStart(mode) : await findStart(cli, target, { mode, isDryRun });
  const folder = target?.root ?? chosen.folder;
  return {
    command: start.command,
    args: [...start.args, ...toServeArgs({ mode, folder, user })],
    ...(mode === "dev" && { cwd: folder }),
    env: { ...toVariables(config, baseUrl), ...start.env },
  };
}

/** Returns how a client starts this program, without a build. */
export function toOwnServer(cli: Cli, config: Config, baseUrl: string): StdioServer {
  const { command, args, env } = findSelfCommand();
  const folder = findOwnProject()?.root ?? cli.terminal.cwd;
  return {
    command,
    args: [...args, ...toServeArgs({ mode: "auto", folder })],
    env: { ...toVariables(config, baseUrl), ...env },
  };
}

/** Returns the arguments of `mcp serve`. */
export function toServeArgs(options: { mode: RunMode; folder: string; user?: string }): string[] {
  const { mode, folder, user } = options;
  const asUser = user === undefined ? [] : ["--user", user];
  return ["mcp", "serve", "--mode", mode, "--project", folder, ...asUser];
}

/** Says that the project around the working folder is not used, and how to use it. */
export function warnOfUntrusted(cli: Cli, { untrusted }: ChosenProject): void {
  if (untrusted === null || untrusted.project === null) return;
  const warning = `${untrusted.folder} is a project of the hub, but it is not used, because it may not be yours. To use it, add --project ${quote(untrusted.folder)}, or run "${cli.name} mcp install" in its folder.`;
  cli.terminal.stderr.write(`warning: ${toPrintable(warning)}\n`);
}

async function findStart(
  cli: Cli,
  project: Project,
  { mode, isDryRun }: { mode: RunMode; isDryRun: boolean },
): Promise<SelfCommand> {
  if (mode === "dev") return toSourceCommand(project.entry, project.root);
  // A project may have macros, which run while it is built.
  if (isDryRun) return { command: predictProgramPath(cli.terminal, project), args: [], env: {} };
  const report = (line: string) => cli.terminal.stderr.write(`${toPrintable(line)}\n`);
  const { path } = await ensureProgram({ env: cli.terminal.env, report }, project, mode);
  return { command: path, args: [], env: {} };
}

/** A program that is not of a project is started as it was. */
function findOwnStart(mode: RunMode): SelfCommand {
  const self = findSelfCommand();
  const isCompiled = self.args.length === 0;
  if (isCompiled || mode === "auto" || mode === "dev") return self;
  throw new Error(
    `--mode ${mode} needs a project. Add "hub": {"entry": "FILE"} to the package.json of this program, where FILE is its main file.`,
  );
}

function toVariables(config: Config, baseUrl: string): Record<string, string> {
  const isDefault = baseUrl === defaultBaseUrl;
  return { HUB_DATA_DIR: config.dataDir, ...(!isDefault && { HUB_BASE_URL: baseUrl }) };
}

/** Returns the base URL of this hub's pages. Throws for an unknown user. */
async function findBaseUrl(
  cli: Cli,
  command: Command,
  { location, user }: { location: ConfigLocation; user: string | undefined },
): Promise<string> {
  const { config } = await cli.loadConfig(command, location);
  const { hasStore } = await import("@hub/server/store/has-store.ts");
  // This command must not create a data folder.
  if (!hasStore(config)) {
    if (user !== undefined) {
      const { toNoUserError } = await import("../errors/no-user-error.ts");
      throw toNoUserError(cli.name, user, config.dataDir);
    }
    return config.baseUrl ?? toDefaultBaseUrl(config.host, config.port);
  }
  const { hub } = await cli.openHub(command, "cli", location);
  try {
    if (user !== undefined) {
      const { createLookups } = await import("../look-ups/look-up-names.ts");
      await createLookups(hub.services.store).findUser(user);
    }
    return await hub.findServedBaseUrl();
  } finally {
    await hub.close();
  }
}
