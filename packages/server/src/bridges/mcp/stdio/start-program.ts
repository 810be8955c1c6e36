import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { UpstreamError } from "@hub/connector";
import type { LoopShares } from "../../../lib/loop-shares.ts";
import { readPaced } from "../../../lib/read-paced.ts";
import { toSafeReason } from "../../../lib/safe-reason.ts";
import type { Timers } from "../../../lib/timers.ts";
import { describeLaunchFailure } from "../../../plugins/fence/describe-launch-failure.ts";
import type { Fence } from "../../../plugins/fence/fence.ts";
import { endMarked } from "../../../plugins/process/end-marked.ts";
import { killGroup } from "../../../plugins/process/kill-group.ts";
import { createProgramLog, type Log } from "../../../plugins/process/plugin-log.ts";
import type { ProcessGuard } from "../../../plugins/process/process-guard.ts";
import { spawnProgram } from "../../../plugins/process/spawn-program.ts";
import { stopProcess } from "../../../plugins/process/stop-process.ts";
import { waitForOutput } from "../../../plugins/process/wait-for-output.ts";
import { toMessageSteps } from "../messages/message-gate.ts";
import { createProgramEnvironment } from "./program-environment.ts";

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

export type RunningProgram = {
  pid: number;
  /** Resolves with the reason, as a sentence, when it has ended. */
  ended: Promise<ProgramEnd>;
  /** The last lines of its standard error, masked. They are given once. */
  readLastLines(): string;
  /** Throws if the program does not read what was written before. */
  writeLine(line: string): void;
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
};

export type ProgramEnd = {
  /** As a sentence. */
  reason: string;
  /** Null if a signal ended it. */
  code: number | null;
};

export type ProgramHandlers = { onLine(line: string): void; onLongLine(): void };

/** Lines of stdout that are messages, and all bytes. */
const messagePace = { linesMax: 1000, bytesMax: 64 * 1024 * 1024 };
/** One message, such as a result. */
const messageBytesMax = 8 * 1024 * 1024;
const logPace = { linesMax: 100, bytesMax: 256 * 1024 };
const logLineBytesMax = 8 * 1024;
/** What the program has not read yet. */
const unreadBytesMax = 16 * 1024 * 1024;

/** Starts a row's program. */
export function startProgram(
  deps: ProgramDeps,
  program: Program,
  handlers: ProgramHandlers,
): RunningProgram {
  const { timers, guard } = deps;
  const log = createProgramLog(deps, { row: program.rowId });
  log.addSecrets(program.secrets);
  const folder = guard.runtimeFolder().openProcessFolder();
  const { child, leader, release } = spawn();
  const watchdog = guard.watchdog();
  watchdog.watch(leader);
  folder.record(child.pid, deps.fence.launches());
  let hasEnded = false;
  let unreadBytes = 0;

  const reading = {
    timers,
    takeTurn: (bytes: number) => deps.loopShares.take(program.rowId, toMessageSteps(bytes)),
  };
  readPaced(child.stdout, {
    ...{ ...reading, ...messagePace, lineBytesMax: messageBytesMax },
    ...handlers,
  });
  const read = readPaced(child.stderr, {
    ...{ ...reading, ...logPace, hasEnded: () => hasEnded },
    lineBytesMax: logLineBytesMax,
    onLine: log.writeErrorLine,
    onLongLine: () => log.writeErrorLine("A longer line was omitted."),
  });
  const ended = child.exited.then(async () => {
    hasEnded = true;
    watchdog.forget(leader);
    // Also ends what the program has started and left.
    killGroup(leader, "SIGKILL");
    await release();
    await endMarked(folder.mark);
    folder.remove();
    await waitForOutput(timers, read);
    const { exitCode, signalCode } = child;
    if (signalCode !== null) return { reason: `${signalCode} ended it.`, code: null };
    const reason = `It ended with code ${exitCode}${describeLaunchFailure(exitCode)}.`;
    return { reason, code: exitCode };
  });

  function spawn() {
    try {
      const home = deps.toHomeDir(program.rowId);
      const npmCache = deps.npmCacheDir;
      for (const path of [home, npmCache]) mkdirSync(path, { recursive: true, mode: 0o700 });
      if (program.folder !== "" && !isAbsolute(program.folder)) {
        throw new Error("its folder is not an absolute path");
      }
      const env = createProgramEnvironment(
        deps.env,
        { home, tmp: folder.tmp, npmCache },
        program.variables,
      );
      return spawnProgram(deps, {
        command: program.command,
        args: program.args,
        env: { ...env, ...folder.env },
        cwd: program.folder === "" ? home : program.folder,
        folders: { read: [], written: [home, npmCache, folder.socket], way: folder.way },
      });
    } catch (cause) {
      folder.remove();
      throw new UpstreamError(
        `The program of this row did not start: ${toSafeReason(cause)}. An admin can check its command and folder.`,
        { cause },
      );
    }
  }

  function kill(signal: "SIGTERM" | "SIGKILL"): void {
    if (!hasEnded && !killGroup(leader, signal)) child.kill(signal);
  }

  return {
    pid: child.pid,
    ended,
    readLastLines: log.readLastLines,
    kill: () => kill("SIGKILL"),
    writeLine(line) {
      if (hasEnded) throw new UpstreamError("The program of this row has ended. Try again.");
      const bytes = Buffer.byteLength(line) + 1;
      if (unreadBytes + bytes > unreadBytesMax) {
        throw new UpstreamError("The program of this row does not read its requests.");
      }
      unreadBytes += bytes;
      child.stdin.write(`${line}\n`);
      const settle = () => {
        unreadBytes -= bytes;
      };
      Promise.resolve(child.stdin.flush()).then(settle, settle);
    },
    async stop() {
      if (hasEnded) return void (await ended);
      await stopProcess(deps, { exited: ended, kill }, () => {
        Promise.resolve(child.stdin.end()).catch(() => {});
      });
    },
  };
}
