import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { FenceState } from "./find-fence-state.ts";
import { openWay } from "./open-way.ts";
import type { OutsideProgram, ProgramStart } from "./outside-program.ts";
import { planFence } from "./plan-fence.ts";
import type { ProgramLimits } from "./program-limits.ts";
import { startLauncher } from "./start-launcher.ts";

/** The start of a program by the launcher. Throws an Error if the program or its folder does not exist. */
export function launchProgram(
  program: OutsideProgram,
  dataDir: string,
  state: FenceState,
  limits: ProgramLimits | null,
): ProgramStart {
  const { command, args, env, cwd } = program;
  const file = findFile(program);
  if (!statSync(cwd).isDirectory()) throw new Error("its folder is not a folder");
  const toReal = (paths: readonly string[]) => paths.map((path) => realpathSync(path));
  const { read, written, way } = program.folders;
  const folders = { read: toReal(read), written: toReal(written), way };
  const { user } = state;
  if (user !== null) openWay(realpathSync(dataDir), [file, ...args], folders, user);
  const opened = limits?.open() ?? null;
  const groups = limits?.findGroupsFolder() ?? null;
  const landlock = planFence(dataDir, state, folders, groups === null ? [] : [groups]);
  const plan = { file, cwd, landlock, user, limits: opened?.limits ?? null, probe: null };
  const start = startLauncher(plan, [command, ...args], env);
  return { ...start, release: async () => await opened?.group?.end() };
}

/** The launcher does not look names up: errors about the command are those of a start without it. */
function findFile({ command, env, cwd }: OutsideProgram): string {
  if (isAbsolute(command)) {
    if (!statSync(command).isDirectory()) return command;
  } else if (command.includes("/")) {
    return resolve(cwd, command);
  }
  const found = Bun.which(command, { PATH: env.PATH ?? "", cwd });
  if (found === null) throw new Error(`Executable not found in $PATH: "${command}"`);
  return isAbsolute(found) ? found : join(cwd, found);
}
