import { toSourceCommand } from "@hub/server/lib/process/self-command.ts";
import type { Cli } from "../cli.ts";
import { toServeArgs } from "../process/find-stdio-server.ts";
import { toPrintable } from "../text/table.ts";
import { ensureProgram } from "./ensure-program.ts";
import type { Project } from "./find-project.ts";
import { findOwnBuild, isSourceOf } from "./own-project.ts";
import type { RunMode } from "./run-modes.ts";
import type { StartedProgram } from "./start-project-program.ts";

type ServeRequest = { mode: RunMode; user?: string; dataDir?: string };

/**
 * Returns the program that serves this project over stdio, or null if it is this program. Builds it
 * first if the mode asks for that.
 */
export async function findProgramToStart(
  cli: Cli,
  project: Project,
  { mode, user, dataDir }: ServeRequest,
): Promise<StartedProgram | null> {
  const { env, stderr } = cli.terminal;
  const flags = dataDir === undefined ? [] : ["--data-dir", dataDir];
  const own = findOwnBuild();
  if (mode === "dev") {
    if (isSourceOf(project)) return null;
    const source = toSourceCommand(project.entry, project.root);
    const args = toServeArgs({ mode, folder: project.root, user });
    return {
      command: source.command,
      args: [...source.args, ...flags, ...args],
      env: { ...env, ...source.env },
    };
  }
  if (mode === "build" && own?.root === project.root) return null;
  const report = (line: string) => stderr.write(`${toPrintable(line)}\n`);
  const { path, record } = await ensureProgram({ env, report }, project, mode);
  if (own?.id === record.id) return null;
  // The started program was just checked or built, so it must not do that again.
  const args = toServeArgs({ mode: "build", folder: project.root, user });
  return { command: path, args: [...flags, ...args], env: { ...env, BUN_BE_BUN: undefined } };
}
