import type { Fence, OutsideProgram } from "../fence/fence.ts";

export type SpawnedProgram = Bun.Subprocess<"pipe", "pipe", "pipe">;

/**
 * Starts a program of others, with only this environment and only its three pipes open. All of them are
 * started here, so that all are fenced. Throws an Error if it cannot be started.
 */
export function spawnProgram({ fence }: { fence: Fence }, program: OutsideProgram): SpawnedProgram {
  const { command, args, env, cwd } = fence.enclose(program);
  return Bun.spawn([command, ...args], {
    env,
    cwd,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    // A separate process group: it gets no signals of the terminal, and its children end with it.
    detached: process.platform !== "win32",
  });
}
