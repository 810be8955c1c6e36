import { readFileSync } from "node:fs";
import { HubError } from "../errors.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { killGroup, toLeader } from "../lib/process/kill-group.ts";
import type { SelfCommand } from "../lib/process/self-command.ts";
import type { Timers } from "../lib/time/timers.ts";
import { type AnswerFrame, AnswerFrames } from "./answer-frames.ts";
import { type CodeAnswer, type CodeJob, type InputPart, toPrefix } from "./code-frames.ts";
import { residentBytesMax } from "./code-limits.ts";

/** Parts of inputs, and their JSON. */
export type WrittenInputs = { parts: InputPart[]; body: Uint8Array[] };

export type CodeRequest = Pick<CodeJob, "kind" | "source" | "timeoutMs"> & {
  /** Inputs of several jobs, with a name. A process gets them once while the jobs follow each other. */
  shared: (WrittenInputs & { key: object }) | null;
  own: WrittenInputs;
};

export type CodeResult =
  | { kind: "answer"; answer: Exclude<CodeAnswer, { kind: "ready" }>; body: Uint8Array }
  /** The hub has ended the process. */
  | { kind: "killed"; reason: "timeout" | "memory" }
  /** It ended itself, or sent what no script can send. */
  | { kind: "broken"; cause: Error };

/** A process that runs one script at a time. */
export type CodeProcess = {
  pid: number;
  /** Never rejects, but for a signal that aborts. The process has then ended. */
  run(request: CodeRequest, signal: AbortSignal): Promise<CodeResult>;
  isAlive(): boolean;
  /** Resolves when the process has ended and left nothing. */
  kill(): Promise<void>;
};

type ProcessDeps = {
  command: SelfCommand;
  timers: Timers;
  log?: Pick<Log, "warn">;
  graceMs?: number;
};

/** For the start of the program, also on a busy machine. */
const startMsMax = 20_000;
/** For the inputs to be read. */
const sendMsMax = 20_000;
/** Scripts end themselves at their limit, unless they are in a function of the interpreter. */
const graceMsDefault = 250;
const memoryCheckMs = 50;
const sendBytesPerPortion = 256 * 1024;

/** Starts a process. Rejects if it does not get ready. */
export async function openCodeProcess({
  command,
  timers,
  log,
  graceMs = graceMsDefault,
}: ProcessDeps): Promise<CodeProcess> {
  const opened = new ScriptProcess(spawn(command), timers, graceMs);
  try {
    const { isLimited } = await opened.awaitReady();
    if (!isLimited) {
      log?.warn({ pid: opened.pid }, "The system does not limit the processes of code nodes");
    }
  } catch (cause) {
    await opened.kill();
    throw toStartFailure(cause);
  }
  return opened;
}

type Stop = "timeout" | "memory" | "aborted";

class ScriptProcess implements CodeProcess {
  readonly pid: number;
  readonly #child: ReturnType<typeof spawn>;
  readonly #timers: Timers;
  readonly #graceMs: number;
  readonly #leader: ReturnType<typeof toLeader>;
  readonly #exited: Promise<void>;
  readonly #frames: AnswerFrames;
  /** Names the shared inputs that the process has. */
  #keptKey: object | null = null;
  #isAlive = true;

  constructor(child: ReturnType<typeof spawn>, timers: Timers, graceMs: number) {
    this.#child = child;
    this.#timers = timers;
    this.#graceMs = graceMs;
    this.pid = child.pid;
    // It must not keep the hub from ending.
    child.unref();
    this.#leader = toLeader(child.pid);
    this.#exited = child.exited.then(() => {
      this.#isAlive = false;
      // Also what it has started, should it have been taken over.
      killGroup(this.#leader, "SIGKILL");
    });
    this.#frames = new AnswerFrames(child.stdout, () => this.#end());
  }

  async awaitReady(): Promise<Extract<CodeAnswer, { kind: "ready" }>> {
    const first = await this.#nextFrame({ ms: startMsMax });
    if (typeof first === "string") throw new Error(`The process was not ready: ${first}.`);
    if (first.answer.kind !== "ready") throw new Error("The process sent something else first.");
    return first.answer;
  }

  isAlive(): boolean {
    return this.#isAlive;
  }

  async kill(): Promise<void> {
    this.#end();
    await this.#exited;
  }

  async run(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    try {
      const result = await this.#runScript(request, signal);
      // Its state is unknown.
      if (result.kind === "killed") await this.kill();
      return result;
    } catch (thrown) {
      await this.kill();
      if (signal.aborted) throw signal.reason;
      return { kind: "broken", cause: new Error("The process failed", { cause: thrown }) };
    }
  }

  async #runScript(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    await this.#sendInTime(request, signal);
    const end = await this.#nextFrame({ ms: request.timeoutMs + this.#graceMs, signal });
    if (end === "aborted") throw signal.reason;
    if (typeof end === "string") return { kind: "killed", reason: end };
    if (end.answer.kind === "ready") throw new Error("The process started twice.");
    return { kind: "answer", answer: end.answer, body: end.body };
  }

  async #sendInTime(request: CodeRequest, signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<"timeout" | "aborted">();
    const clear = this.#timers.after(sendMsMax, () => stopped.resolve("timeout"));
    const onAbort = () => stopped.resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    const sent = await Promise.race([this.#send(request), stopped.promise]).finally(() => {
      clear();
      signal.removeEventListener("abort", onAbort);
    });
    if (sent === "timeout") throw new Error("The process did not read its inputs.");
    signal.throwIfAborted();
  }

  async #send({ shared, own, ...rest }: CodeRequest): Promise<void> {
    const { stdin } = this.#child;
    const usesKept = shared !== null && shared.key === this.#keptKey;
    this.#keptKey = shared?.key ?? null;
    const sent = usesKept || shared === null ? { parts: [], body: [] } : shared;
    const parts = [...sent.parts, ...own.parts];
    const body = [...sent.body, ...own.body];
    const job: CodeJob = { ...rest, usesKept, keeps: sent.parts.length, parts };
    const header = new TextEncoder().encode(JSON.stringify(job));
    const bodyBytes = body.reduce((sum, { length }) => sum + length, 0);
    stdin.write(toPrefix(header, bodyBytes));
    stdin.write(header);
    for (const part of body) {
      for (let start = 0; start < part.length; start += sendBytesPerPortion) {
        stdin.write(part.subarray(start, start + sendBytesPerPortion));
        await stdin.flush();
      }
    }
    await stdin.flush();
  }

  /** Resolves with the next answer, or with what came before it. */
  async #nextFrame(limits: { ms: number; signal?: AbortSignal }): Promise<AnswerFrame | Stop> {
    const stopped = Promise.withResolvers<Stop>();
    const clearTime = this.#timers.after(limits.ms, () => stopped.resolve("timeout"));
    const clearMemory = watchMemory(this.#timers, this.pid, () => stopped.resolve("memory"));
    const onAbort = () => stopped.resolve("aborted");
    limits.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([this.#frames.next(), stopped.promise]);
    } finally {
      clearTime();
      clearMemory();
      limits.signal?.removeEventListener("abort", onAbort);
    }
  }

  #end(): void {
    if (this.#isAlive && !killGroup(this.#leader, "SIGKILL")) this.#child.kill("SIGKILL");
  }
}

function spawn({ command, args, env }: SelfCommand) {
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

/** Only Linux says it. Elsewhere the limits inside of the process hold. */
function watchMemory(timers: Timers, pid: number, onExcess: () => void): () => void {
  if (process.platform !== "linux") return () => {};
  let cancel = () => {};
  const check = () => {
    cancel = timers.after(memoryCheckMs, () => {
      if (readResidentBytes(pid) > residentBytesMax) onExcess();
      else check();
    });
  };
  check();
  return () => cancel();
}

const pageBytes = 4096;

function readResidentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1] ?? 0) * pageBytes;
  } catch {
    // It has ended.
    return 0;
  }
}

function toStartFailure(cause: unknown): HubError {
  return new HubError(
    "internal",
    "The process that runs code nodes did not start. The reason is in the hub's log.",
    { cause },
  );
}
