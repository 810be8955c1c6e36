import { join } from "node:path";
import { createPrivateFile, lockFile } from "@hub/server/store/data-folder/file-lock.ts";
import { isBusy } from "@hub/server/store/sqlite/sqlite-errors.ts";
import { findBuildFolder, openBuildFolder, toBuildFolders } from "./build-folders.ts";
import { buildProgram, toProgramName } from "./build-program.ts";
import { type BuiltProgram, findBuilt, isFresh } from "./build-record.ts";
import type { Project } from "./find-project.ts";
import type { RunMode } from "./run-modes.ts";

type BuildMode = Exclude<RunMode, "dev">;

type Deps = {
  env: Readonly<Record<string, string | undefined>>;
  /** Gets a line when a build begins. */
  report(line: string): void;
};

/** Returns the compiled program of a project, and builds it first if the mode asks for that. */
export async function ensureProgram(
  deps: Deps,
  project: Project,
  mode: BuildMode,
): Promise<BuiltProgram> {
  const buildFolders = toBuildFolders(project, deps.env);
  const found = findUsable(project, buildFolders, mode);
  if (found !== null) return found;
  const buildFolder = openBuildFolder(buildFolders);
  const lock = await waitForLock(join(buildFolder, `${project.name}.lock`));
  try {
    // Another process may have built it in the meantime.
    const built = findUsable(project, buildFolders, mode);
    if (built !== null) return built;
    deps.report(`Building ${join(buildFolder, project.name)} …`);
    return await buildProgram(project, buildFolder);
  } finally {
    lock.close();
  }
}

/** Returns where {@link ensureProgram} finds or puts the program. Builds and writes nothing. */
export function predictProgramPath({ env }: Pick<Deps, "env">, project: Project): string {
  const buildFolders = toBuildFolders(project, env);
  const [found] = buildFolders.flatMap((buildFolder) => findBuilt(project, buildFolder) ?? []);
  return found?.path ?? join(findBuildFolder(buildFolders), toProgramName(project));
}

function findUsable(
  project: Project,
  buildFolders: readonly string[],
  mode: BuildMode,
): BuiltProgram | null {
  if (mode === "rebuild") return null;
  for (const buildFolder of buildFolders) {
    const built = findBuilt(project, buildFolder);
    if (built !== null && (mode === "build" || isFresh(project, built))) return built;
  }
  return null;
}

async function waitForLock(path: string): Promise<{ close(): void }> {
  createPrivateFile(path);
  for (;;) {
    try {
      return lockFile(path);
    } catch (err) {
      if (!isBusy(err)) throw err;
      await Bun.sleep(50);
    }
  }
}
