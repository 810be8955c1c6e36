import { type GroupLeader, killGroup } from "../../lib/process/kill-group.ts";
import { readPaced } from "../../lib/streams/read-paced.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Fence } from "../fence/fence.ts";
import { describeLaunchFailure } from "../fence/launch-plan.ts";
import type { OutsideProgram } from "../fence/outside-program.ts";
import { longLineNote, outputLineBytesMax, outputPace } from "./output-writer.ts";
import type { PluginLog } from "./plugin-log.ts";
import { spawnProgram } from "./spawn-program.ts";

export type ExitInfo = { code: number | null; signal: string | null };

/** A running program before the handshake. */
export type PluginChild = {
  leader: GroupLeader;
  /** Resolves when it has ended, and what was left of it. */
  exited: Promise<ExitInfo>;
  /** Null while it is running. */
  findExit(): ExitInfo | null;
  /** Passes every line of stdout to `take`; lines for which it returns false are logged. */
  readStdout(take: (line: string) => boolean): void;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
  /** Resolves when its standard error is read to its end. */
  read: Promise<void>;
};

type SpawnDeps = { log: PluginLog; fence: Fence; timers: Timers };

/** Starts the program and logs what it prints. */
export function spawnPlugin(deps: SpawnDeps, program: OutsideProgram): PluginChild {
  const { log, timers } = deps;
  let found: ExitInfo | null = null;
  let takeLine: (line: string) => boolean = () => false;
  // Stdin is open as long as the hub lives: our own plugins exit when it closes.
  const { child, leader, release } = spawnProgram(deps, program);
  const onLine = (line: string) => {
    if (!takeLine(line)) log.writeLine(line);
  };
  const reading = {
    timers,
    ...outputPace,
    lineBytesMax: outputLineBytesMax,
    onLongLine: () => log.writeLine(longLineNote),
  };
  void readPaced(child.stdout, { ...reading, onLine });
  const read = readPaced(child.stderr, {
    ...reading,
    onLine: log.writeErrorLine,
    hasEnded: () => found !== null,
    onLongLine: () => log.writeErrorLine(longLineNote),
  });
  const exited = child.exited.then(async (): Promise<ExitInfo> => {
    const { signalCode } = child;
    const exit = { code: child.exitCode, signal: signalCode === null ? null : String(signalCode) };
    found = exit;
    child.stdin.end();
    killGroup(leader, "SIGKILL");
    await release();
    return exit;
  });
  return {
    leader,
    exited,
    read,
    findExit: () => found,
    readStdout(take) {
      takeLine = take;
    },
    kill(signal) {
      if (found === null && !killGroup(leader, signal)) child.kill(signal);
    },
  };
}

export function describeExit({ code, signal }: ExitInfo): string {
  if (signal !== null) return `it was ended by ${signal}`;
  return `it ended with code ${code}${describeLaunchFailure(code)}`;
}
