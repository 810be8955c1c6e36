import { type GroupLeader, toLeader } from "../../lib/process/kill-group.ts";
import type { Fence } from "../fence/fence.ts";
import type { OutsideProgram } from "../fence/outside-program.ts";

export type SpawnedProgram = {
  child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  leader: GroupLeader;
  /** Ends what is left of the program after its end, where the system keeps its processes in a group of its own. */
  release(): Promise<void>;
};

/**
 * Starts a program of others, with only this environment and only its three pipes open. All of them are
 * started here, so that all are fenced. Throws an Error if it cannot be started.
 */
export function spawnProgram({ fence }: { fence: Fence }, program: OutsideProgram): SpawnedProgram {
  const { command, args, env, cwd, release = async () => {} } = fence.enclose(program);
  try {
    const child = Bun.spawn([command, ...args], {
      env,
      cwd,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      // A separate process group: it gets no signals of the terminal, and its children end with it.
      detached: process.platform !== "win32",
    });
    return { child, leader: toLeader(child.pid), release };
  } catch (thrown) {
    void release();
    throw thrown;
  }
}
