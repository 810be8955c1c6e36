import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Terminal } from "../terminal.ts";
import { toUsageError } from "../usage-error.ts";
import { findProject, type Project, tryFindProject } from "./find-project.ts";
import { findOwnProject } from "./own-project.ts";
import { isTrusted } from "./trust.ts";

/** The folder of a command, and its project if that may run. */
export type ChosenProject = {
  /** Absolute. */
  folder: string;
  project: Project | null;
  /** A project that does not run, because its user has not allowed it. */
  untrusted: Project | null;
};

/**
 * Finds the project in the folder of `--project`, or in the working folder. A client may start the
 * hub in any folder, also in a clone of a stranger's repository. So a project in the working folder
 * runs only if the user installed it into a client, or if this program is that project.
 */
export function chooseProject(
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
  option: string | undefined,
): ChosenProject {
  const folder = resolve(cwd, option ?? ".");
  checkFolder(folder);
  if (option !== undefined) return { folder, project: findProject(folder), untrusted: null };
  // A broken package.json of a stranger must not stop this hub.
  const project = tryFindProject(folder);
  if (project === null) return { folder, project, untrusted: null };
  const isAllowed = findOwnProject()?.root === project.root || isTrusted(project, env);
  return isAllowed
    ? { folder, project, untrusted: null }
    : { folder, project: null, untrusted: project };
}

function checkFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw toUsageError(
    `--project: the folder ${folder} does not exist. If the project was moved, write the entries of your clients again from its new folder.`,
  );
}
