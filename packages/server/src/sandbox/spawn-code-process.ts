import { HubError } from "../errors.ts";
import type { SelfCommand } from "../lib/process/self-command.ts";

export type CodeChild = ReturnType<typeof spawnCodeProcess>;

/** Starts the program of a process for scripts, with nothing of the hub's. Throws if there is no such program. */
export function spawnCodeProcess({ command, args, env }: SelfCommand) {
  try {
    return Bun.spawn([command, ...args], {
      // Not even PATH. A program that acts as Bun is told so by a variable.
      env,
      cwd: "/",
      stdin: "pipe",
      stdout: "pipe",
      // A process that has been taken over could send without end.
      stderr: "ignore",
      // It gets no signals of the terminal.
      detached: process.platform !== "win32",
    });
  } catch (cause) {
    throw toStartFailure(cause);
  }
}

export function toStartFailure(cause: unknown): HubError {
  return new HubError(
    "internal",
    "The process that runs scripts did not start. The reason is in the hub's log.",
    { cause },
  );
}
