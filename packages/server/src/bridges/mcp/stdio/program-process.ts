import { UpstreamError } from "@hub/connector";
import { killGroup } from "../../../lib/process/kill-group.ts";
import { readPaced } from "../../../lib/streams/read-paced.ts";
import type { LoopShares } from "../../../lib/time/loop-shares.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { describeLaunchFailure } from "../../../plugins/fence/launch-plan.ts";
import { endMarked } from "../../../plugins/process/end-marked.ts";
import type { PluginLog } from "../../../plugins/process/plugin-log.ts";
import type { ProcessGuard } from "../../../plugins/process/process-guard.ts";
import type { ProcessFolder } from "../../../plugins/process/runtime-folder.ts";
import type { SpawnedProgram } from "../../../plugins/process/spawn-program.ts";
import { stopProcess } from "../../../plugins/process/stop-process.ts";
import { waitForOutput } from "../../../plugins/process/wait-for-output.ts";
import { toMessageSteps } from "../messages/message-gate.ts";

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

type ProcessDeps = { timers: Timers; loopShares: LoopShares };

type ProcessParts = {
  rowId: string;
  spawned: SpawnedProgram;
  /** Removed at the end. */
  folder: ProcessFolder;
  /** It already watches the process. */
  watchdog: ReturnType<ProcessGuard["watchdog"]>;
  log: PluginLog;
};

/** Lines of stdout that are messages, and all bytes. */
const messagePace = { linesMax: 1000, bytesMax: 64 * 1024 * 1024 };
/** One message, such as a result. */
const messageBytesMax = 8 * 1024 * 1024;
const logPace = { linesMax: 100, bytesMax: 256 * 1024 };
const logLineBytesMax = 8 * 1024;
/** What the program has not read yet. */
const unreadBytesMax = 16 * 1024 * 1024;

/** A program that was started. It reads the output, and cleans up when the program has ended. */
export class ProgramProcess implements RunningProgram {
  readonly pid: number;
  readonly ended: Promise<ProgramEnd>;
  readonly #deps: ProcessDeps;
  readonly #parts: ProcessParts;
  #hasEnded = false;
  #unreadBytes = 0;

  constructor(deps: ProcessDeps, parts: ProcessParts, handlers: ProgramHandlers) {
    const { child } = parts.spawned;
    this.#deps = deps;
    this.#parts = parts;
    this.pid = child.pid;
    const read = this.#readOutput(handlers);
    this.ended = child.exited.then(() => this.#cleanUp(read));
  }

  readLastLines(): string {
    return this.#parts.log.readLastLines();
  }

  writeLine(line: string): void {
    if (this.#hasEnded) throw new UpstreamError("The program of this row has ended. Try again.");
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#unreadBytes + bytes > unreadBytesMax) {
      throw new UpstreamError("The program of this row does not read its requests.");
    }
    this.#unreadBytes += bytes;
    const { stdin } = this.#parts.spawned.child;
    stdin.write(`${line}\n`);
    const release = () => {
      this.#unreadBytes -= bytes;
    };
    Promise.resolve(stdin.flush()).then(release, release);
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) {
      await this.ended;
      return;
    }
    const stoppable = {
      exited: this.ended,
      kill: (signal: "SIGTERM" | "SIGKILL") => this.#kill(signal),
    };
    await stopProcess(this.#deps, stoppable, () => {
      Promise.resolve(this.#parts.spawned.child.stdin.end()).catch(() => {});
    });
  }

  kill(): void {
    this.#kill("SIGKILL");
  }

  #kill(signal: "SIGTERM" | "SIGKILL"): void {
    const { child, leader } = this.#parts.spawned;
    if (!this.#hasEnded && !killGroup(leader, signal)) child.kill(signal);
  }

  /** Resolves when standard error has ended. */
  #readOutput(handlers: ProgramHandlers): Promise<void> {
    const { timers, loopShares } = this.#deps;
    const { rowId, spawned, log } = this.#parts;
    const { stdout, stderr } = spawned.child;
    const reading = {
      timers,
      admitLine: (bytes: number) => loopShares.take(rowId, toMessageSteps(bytes)),
    };
    void readPaced(stdout, {
      ...reading,
      ...messagePace,
      lineBytesMax: messageBytesMax,
      ...handlers,
    });
    return readPaced(stderr, {
      ...reading,
      ...logPace,
      hasEnded: () => this.#hasEnded,
      lineBytesMax: logLineBytesMax,
      onLine: (line) => log.writeErrorLine(line),
      onLongLine: () => log.writeErrorLine("A longer line was omitted."),
    });
  }

  async #cleanUp(read: Promise<void>): Promise<ProgramEnd> {
    const { spawned, folder, watchdog } = this.#parts;
    const { child, leader, release } = spawned;
    this.#hasEnded = true;
    watchdog.forget(leader);
    // Also ends what the program has started and left.
    killGroup(leader, "SIGKILL");
    await release();
    await endMarked(folder.mark);
    folder.remove();
    await waitForOutput(this.#deps.timers, read);
    const { exitCode, signalCode } = child;
    if (signalCode !== null) return { reason: `${signalCode} ended it.`, code: null };
    const reason = `It ended with code ${exitCode}${describeLaunchFailure(exitCode)}.`;
    return { reason, code: exitCode };
  }
}
