import { statSync } from "node:fs";
import { resolve } from "node:path";
import { findProjectFolder } from "@hub/server/lib/files/data-folder.ts";
import { toUsageError } from "../errors/usage-error.ts";
import type { Terminal } from "../process/terminal.ts";
import { findProject, type Project, tryFindProject } from "./find-project.ts";
import { findOwnProject, isStartedFrom } from "./own-project.ts";
import { isTrusted } from "./trust.ts";

/** The folder of a command, and what of it may be used. */
export type ChosenProject = {
  /** Absolute. */
  folder: string;
  /** The project that runs, or null for this hub. */
  project: Project | null;
  /** The folder that may not be used, because its user has not allowed it; null otherwise. */
  untrusted: { folder: string; project: Project | null } | null;
};

/**
 * Finds the project of `--project`, or of the working folder. A client may start the hub in any
 * folder, also in a clone of a stranger's repository. So the project around the working folder and
 * its data folder are used only if the user installed the project into a client, or if this program
 * was started from there.
 */
export function chooseProject(
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
  option: string | undefined,
): ChosenProject {
  const folder = resolve(cwd, option ?? ".");
  if (option !== undefined) {
    checkFolder(folder);
    return { folder, project: findProject(folder), untrusted: null };
  }
  const around = findProjectFolder(folder);
  if (around === null) return { folder, project: null, untrusted: null };
  // A broken package.json of a stranger must not stop this hub.
  const project = tryFindProject(around);
  if (project !== null && (isOwn(project) || isTrusted(project, env))) {
    return { folder, project, untrusted: null };
  }
  const untrusted = isStartedFrom(around) ? null : { folder: around, project };
  return { folder, project: null, untrusted };
}

function isOwn({ root }: Project): boolean {
  return findOwnProject()?.root === root;
}

function checkFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw toUsageError(
    `--project: the folder ${folder} does not exist. If the project was moved, run its command "mcp install --replace" in the new folder.`,
  );
}
