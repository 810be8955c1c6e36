import { join } from "node:path";
import { createPrivateFile, lockFile } from "@hub/server/store/file-lock.ts";
import { isBusy } from "@hub/server/store/sqlite-errors.ts";
import { findBuildPlace, openBuildPlace, toBuildPlaces } from "./build-places.ts";
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
  const places = toBuildPlaces(project, deps.env);
  const found = findUsable(project, places, mode);
  if (found !== null) return found;
  const place = openBuildPlace(places);
  const lock = await waitForLock(join(place, `${project.name}.lock`));
  try {
    // Another process may have built it in the meantime.
    const built = findUsable(project, places, mode);
    if (built !== null) return built;
    deps.report(`Building ${join(place, project.name)} …`);
    return await buildProgram(project, place);
  } finally {
    lock.close();
  }
}

/** Returns where {@link ensureProgram} finds or puts the program. Builds and writes nothing. */
export function predictProgramPath({ env }: Pick<Deps, "env">, project: Project): string {
  const places = toBuildPlaces(project, env);
  const [found] = places.flatMap((place) => findBuilt(project, place) ?? []);
  return found?.path ?? join(findBuildPlace(places), toProgramName(project));
}

function findUsable(
  project: Project,
  places: readonly string[],
  mode: BuildMode,
): BuiltProgram | null {
  if (mode === "rebuild") return null;
  for (const place of places) {
    const built = findBuilt(project, place);
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
