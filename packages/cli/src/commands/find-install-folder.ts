import { resolve } from "node:path";
import { findProjectFolder } from "@hub/server/lib/files/data-folder.ts";
import type { Terminal } from "../process/terminal.ts";
import { findProject } from "../project/find-project.ts";

/**
 * The folder whose hub is installed: that of `--project`, the project around the working folder, or
 * the working folder itself. With an installation, the user chooses the project where it is run.
 */
export function findInstallFolder({ cwd }: Pick<Terminal, "cwd">, option?: string): string {
  if (option !== undefined) return resolve(cwd, option);
  const around = findProjectFolder(cwd);
  return (around === null ? null : findProject(around)?.root) ?? cwd;
}
