import { killGroup } from "./kill-group.ts";
import type { PluginLog } from "./plugin-log.ts";
import { readLines } from "./read-lines.ts";

export type ExitInfo = { code: number | null; signal: string | null };

/** A running program before the handshake. */
export type PluginChild = {
  pid: number;
  exited: Promise<ExitInfo>;
  /** Null while it is running. */
  findExit(): ExitInfo | null;
  /** Passes every line of stdout to `take`; lines for which it returns false are logged. */
  readStdout(take: (line: string) => boolean): void;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
};

type SpawnDeps = { log: PluginLog };

/** Starts the program with only this environment and only its three pipes open. */
export function spawnPlugin(
  { log }: SpawnDeps,
  program: { binaryPath: string; env: Record<string, string>; cwd: string },
): PluginChild {
  let found: ExitInfo | null = null;
  let takeLine: (line: string) => boolean = () => false;
  const child = Bun.spawn([program.binaryPath], {
    env: program.env,
    cwd: program.cwd,
    // Open as long as the hub lives: our own plugins exit when it closes.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    // A separate process group: it gets no signals of the terminal, and its children end with it.
    detached: process.platform !== "win32",
  });
  const onLine = (line: string) => {
    if (!takeLine(line)) log.writeLine(line);
  };
  const drained = Promise.all([
    readLines(child.stdout, onLine),
    readLines(child.stderr, (line) => log.writeLine(line)),
  ]);
  drained.catch(() => {});
  const exited = child.exited.then((): ExitInfo => {
    const { signalCode } = child;
    const exit = { code: child.exitCode, signal: signalCode === null ? null : String(signalCode) };
    found = exit;
    child.stdin.end();
    killGroup(child.pid, "SIGKILL");
    return exit;
  });
  return {
    pid: child.pid,
    exited,
    findExit: () => found,
    readStdout(take) {
      takeLine = take;
    },
    kill(signal) {
      if (found === null && !killGroup(child.pid, signal)) child.kill(signal);
    },
  };
}

export function describeExit({ code, signal }: ExitInfo): string {
  return signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
}
