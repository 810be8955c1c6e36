import { realpathSync } from "node:fs";
import { join } from "node:path";
import { findProject, findProjectOfEntry, isBelow, type Project } from "./find-project.ts";

/** Set by the build of a project: which build this program is, and of which project. */
declare const HUB_BUILD: { id: string; root: string } | undefined;

/** The build that this program is, or null if it runs from source. */
export function findOwnBuild(): { id: string; root: string } | null {
  return typeof HUB_BUILD === "undefined" ? null : HUB_BUILD;
}

/** The project that this program was started from or built from, or null. */
export function findOwnProject(): Project | null {
  const build = findOwnBuild();
  try {
    return build === null ? findProjectOfEntry(findOwnEntry()) : findProject(build.root);
  } catch {
    return null;
  }
}

/** Whether this program runs from the source of this project. */
export function isSourceOf(project: Project): boolean {
  return findOwnBuild() === null && findProjectOfEntry(findOwnEntry())?.root === project.root;
}

/** Whether this program was built from this folder, or its main file is below it. */
export function isStartedFrom(folder: string): boolean {
  const build = findOwnBuild();
  try {
    if (build !== null) return build.root === realpathSync(folder);
    // A program in `node_modules` may be a link to another folder.
    return [Bun.main, realpathSync(Bun.main)].some((main) => isBelow(realpathSync(folder), main));
  } catch {
    return false;
  }
}

/** `hub.ts` starts the program of `hub-main.ts`, which is the entry of a checkout. */
function findOwnEntry(): string {
  try {
    const main = realpathSync(Bun.main);
    return main.endsWith(hubStarter) ? join(main, "..", "hub-main.ts") : main;
  } catch {
    return Bun.main;
  }
}

const hubStarter = join("packages", "cli", "src", "hub.ts");
