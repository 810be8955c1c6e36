import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { UpstreamError } from "@hub/connector";
import { toSafeReason } from "../../../lib/text/safe-reason.ts";
import type { LoopShares } from "../../../lib/time/loop-shares.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { Fence } from "../../../plugins/fence/fence.ts";
import { createProgramLog, type Log } from "../../../plugins/process/plugin-log.ts";
import type { ProcessGuard } from "../../../plugins/process/process-guard.ts";
import type { ProcessFolder } from "../../../plugins/process/runtime-folder.ts";
import { type SpawnedProgram, spawnProgram } from "../../../plugins/process/spawn-program.ts";
import { createProgramEnvironment } from "./program-environment.ts";
import { type ProgramHandlers, ProgramProcess, type RunningProgram } from "./program-process.ts";

export type ProgramDeps = {
  timers: Timers;
  log: Log;
  loopShares: LoopShares;
  /** The hub's environment; a program gets a few of its variables. */
  env: Readonly<Record<string, string | undefined>>;
  guard: ProcessGuard;
  fence: Fence;
  /** The home folder of a row's programs. */
  toHomeDir(rowId: string): string;
  /** The folder in which all rows' programs keep what npm has downloaded. */
  npmCacheDir: string;
  /** How long a program may take to start, also with what it downloads. */
  startMs: number;
};

export type Program = {
  rowId: string;
  command: string;
  args: readonly string[];
  variables: readonly (readonly [string, string])[];
  /** The working folder; the row's home folder if it is empty. */
  folder: string;
  /** Masked in what the program writes to the log. */
  secrets: readonly string[];
};

/** Starts a row's program. */
export function startProgram(
  deps: ProgramDeps,
  program: Program,
  handlers: ProgramHandlers,
): RunningProgram {
  const { guard, fence } = deps;
  const { rowId } = program;
  const log = createProgramLog(deps, { row: rowId });
  log.addSecrets(program.secrets);
  const folder = guard.runtimeFolder().openProcessFolder();
  const spawned = spawnIn(folder, deps, program);
  const watchdog = guard.watchdog();
  watchdog.watch(spawned.leader);
  folder.record(spawned.child.pid, fence.launches());
  return new ProgramProcess(deps, { rowId, spawned, folder, watchdog, log }, handlers);
}

/** Removes the folder if the program does not start. */
function spawnIn(
  own: ProcessFolder,
  deps: ProgramDeps,
  { rowId, command, args, variables, folder }: Program,
): SpawnedProgram {
  const { npmCacheDir: npmCache } = deps;
  try {
    const home = deps.toHomeDir(rowId);
    for (const path of [home, npmCache]) mkdirSync(path, { recursive: true, mode: 0o700 });
    if (folder !== "" && !isAbsolute(folder)) {
      throw new Error("its folder is not an absolute path");
    }
    const places = { home, tmp: own.tmp, npmCache };
    return spawnProgram(deps, {
      command,
      args,
      env: { ...createProgramEnvironment(deps.env, places, variables), ...own.env },
      cwd: folder === "" ? home : folder,
      folders: { read: [], written: [home, npmCache, own.socket], way: own.way },
    });
  } catch (cause) {
    own.remove();
    throw new UpstreamError(
      `The program of this row did not start: ${toSafeReason(cause)}. An admin can check its command and folder.`,
      { cause },
    );
  }
}
