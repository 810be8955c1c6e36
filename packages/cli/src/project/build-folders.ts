import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findUserCacheFolder } from "@hub/server/lib/files/data-folder.ts";
import type { Project } from "./find-project.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The folders for the program of a project, in the order of preference: the project's own, and for a
 * project that cannot be written one in the user's cache.
 */
export function toBuildFolders({ root }: Project, env: Environment): [string, string] {
  const hash = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return [join(root, ".hub", "bin"), join(findUserCacheFolder(env, "hub"), "bin", hash)];
}

/** Creates the first of these folders that can be written. */
export function openBuildFolder(buildFolders: readonly string[]): string {
  let failure: unknown;
  for (const buildFolder of buildFolders) {
    try {
      mkdirSync(buildFolder, { recursive: true, mode: 0o700 });
      // Programs are too large for a repository. This also shows whether the folder can be written.
      writeFileSync(join(buildFolder, ".gitignore"), "*\n");
      return buildFolder;
    } catch (cause) {
      failure = cause;
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure);
  throw new Error(
    `The program cannot be built, because neither ${buildFolders.join(" nor ")} can be written (${reason}). Start it with --mode dev, which runs from source.`,
  );
}

/** Returns the folder that {@link openBuildFolder} would create, or the first. Creates nothing. */
export function findBuildFolder(buildFolders: readonly [string, ...string[]]): string {
  return buildFolders.find(canBeWritten) ?? buildFolders[0];
}

function canBeWritten(buildFolder: string): boolean {
  let folder = buildFolder;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
