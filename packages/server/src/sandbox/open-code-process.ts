import type { Log } from "../lib/logs/create-log.ts";
import { killGroup, toLeader } from "../lib/process/kill-group.ts";
import type { SelfCommand } from "../lib/process/self-command.ts";
import type { Timers } from "../lib/time/timers.ts";
import { AnswerFrames } from "./answer-frames.ts";
import type { CodeAnswer, CodeJob } from "./code-frames.ts";
import { FrameWriter, type WrittenJob } from "./frame-writer.ts";
import type { ScriptAnswer } from "./question-frames.ts";
import { type QuestionCounts, ScriptQuestions, toStopped } from "./script-questions.ts";
import type { SandboxScript } from "./script-sandbox.ts";
import { type CodeChild, spawnCodeProcess, toStartFailure } from "./spawn-code-process.ts";
import { watchMemory } from "./watch-memory.ts";

export type CodeRequest = Pick<CodeJob, "source" | "timeoutMs"> &
  Pick<WrittenJob, "shared" | "own"> & { kind: "run" | "check" };

/** The hub has ended the process, or it ended itself, or it sent what no script can send. */
type CodeEnd<KillReason> =
  | { kind: "killed"; reason: KillReason }
  | { kind: "broken"; cause: Error };

export type CodeResult =
  | { kind: "answer"; answer: Exclude<CodeAnswer, { kind: "ready" }>; body: Uint8Array }
  | CodeEnd<"timeout" | "memory">;

export type ScriptRequest = Pick<CodeJob, "source" | "timeoutMs"> &
  Pick<WrittenJob, "own"> &
  Pick<SandboxScript, "answer"> & { computeMs: number };

/** `computing`: the system has ended the process for its processor time. */
export type ScriptResult = { counts: QuestionCounts } & (
  | { kind: "answer"; answer: ScriptAnswer; body: Uint8Array }
  | CodeEnd<"timeout" | "memory" | "computing">
);

/** A process that runs one script at a time. */
export type CodeProcess = {
  pid: number;
  /** Never rejects, but for a signal that aborts. The process has then ended. */
  run(request: CodeRequest, signal: AbortSignal): Promise<CodeResult>;
  /** The same for a script that asks the hub. Each of its questions has then been answered. */
  runScript(request: ScriptRequest, signal: AbortSignal): Promise<ScriptResult>;
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

/** Starts a process. Rejects if it does not get ready. */
export async function openCodeProcess({
  command,
  timers,
  log,
  graceMs = graceMsDefault,
}: ProcessDeps): Promise<CodeProcess> {
  const opened = new ScriptProcess(spawnCodeProcess(command), timers, graceMs);
  try {
    const { isLimited } = await opened.awaitReady();
    if (!isLimited) {
      log?.warn({ pid: opened.pid }, "The system does not limit the processes of scripts");
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
  readonly #child: CodeChild;
  readonly #timers: Timers;
  readonly #graceMs: number;
  readonly #leader: ReturnType<typeof toLeader>;
  readonly #exited: Promise<void>;
  readonly #frames: AnswerFrames;
  readonly #writer: FrameWriter;
  /** Ids are not used again, so no script gets the answer of another one's question. */
  #nextQuestionId = 1;
  #isAlive = true;
  /** It may live for a moment, but gets no other script. */
  #isEnding = false;

  constructor(child: CodeChild, timers: Timers, graceMs: number) {
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
    this.#writer = new FrameWriter(child.stdin);
  }

  async awaitReady(): Promise<Extract<CodeAnswer, { kind: "ready" }>> {
    const first = await this.#waitFor(this.#frames.next(), { ms: startMsMax });
    if (typeof first === "string") throw new Error(`The process was not ready: ${first}.`);
    if (first.header.kind !== "ready") throw new Error("The process sent something else first.");
    return first.header;
  }

  isAlive(): boolean {
    return this.#isAlive && !this.#isEnding;
  }

  async kill(): Promise<void> {
    this.#end();
    await this.#exited;
  }

  async run(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    try {
      const result = await this.#runCode(request, signal);
      // Its state is unknown.
      if (result.kind === "killed") await this.kill();
      return result;
    } catch (thrown) {
      await this.kill();
      if (signal.aborted) throw signal.reason;
      return { kind: "broken", cause: new Error("The process failed", { cause: thrown }) };
    }
  }

  async runScript(request: ScriptRequest, signal: AbortSignal): Promise<ScriptResult> {
    const questions = new ScriptQuestions({
      answer: request.answer,
      send: (header, body) => this.#writer.writeFrame(header, body),
      firstId: this.#nextQuestionId,
    });
    try {
      const result = await this.#runAsking(request, questions, signal);
      if (result.kind === "killed") await this.kill();
      return { ...result, counts: questions.count() };
    } catch (thrown) {
      await this.kill();
      if (signal.aborted) throw signal.reason;
      const counts = questions.count();
      // The limit of `allowCpuSeconds`.
      if (this.#child.signalCode === "SIGXCPU")
        return { kind: "killed", reason: "computing", counts };
      const cause = new Error("The process failed", { cause: thrown });
      return { kind: "broken", cause, counts };
    } finally {
      this.#nextQuestionId = questions.nextId;
      questions.stop(toStopped());
      await questions.complete();
    }
  }

  async #runCode(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    await this.#sendInTime(request, signal);
    const ms = request.timeoutMs + this.#graceMs;
    const end = await this.#waitFor(this.#frames.next(), { ms, signal });
    if (end === "aborted") throw signal.reason;
    if (typeof end === "string") return { kind: "killed", reason: end };
    const { header: answer, body } = end;
    if (answer.kind === "ready") throw new Error("The process started twice.");
    return { kind: "answer", answer, body };
  }

  async #runAsking(
    { answer: _, computeMs, ...job }: ScriptRequest,
    questions: ScriptQuestions,
    signal: AbortSignal,
  ) {
    const { timeoutMs: ms } = job;
    const untilMs = this.#timers.now() + ms;
    const asks = { computeMs, firstId: questions.nextId };
    const ended = this.#frames.follow((question) => questions.take(question));
    await this.#sendInTime({ ...job, kind: "script", shared: null, asks }, signal);
    let end = await this.#waitFor(ended, { ms, signal });
    if (end === "timeout") {
      questions.stop(toStopped());
      // A script that waits ends itself now, and says what it has printed.
      void this.#writer.writeFrame({ kind: "stop" }, new Uint8Array());
      end = await this.#waitFor(ended, { ms: this.#graceMs, signal });
    }
    if (end === "aborted") throw signal.reason;
    if (typeof end === "string") return { kind: "killed", reason: end } as const;
    questions.close();
    // What it has begun and not waited for.
    const restMs = Math.max(untilMs - this.#timers.now(), 0);
    const completed = await this.#waitFor(questions.complete(), { ms: restMs, signal });
    if (completed === "aborted") throw signal.reason;
    return { kind: "answer", answer: end.header, body: end.body } as const;
  }

  async #sendInTime(job: WrittenJob, signal: AbortSignal): Promise<void> {
    const stopped = Promise.withResolvers<"timeout" | "aborted">();
    const clear = this.#timers.after(sendMsMax, () => stopped.resolve("timeout"));
    const onAbort = () => stopped.resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    const sent = await Promise.race([this.#writer.writeJob(job), stopped.promise]).finally(() => {
      clear();
      signal.removeEventListener("abort", onAbort);
    });
    if (sent === "timeout") throw new Error("The process did not read its inputs.");
    signal.throwIfAborted();
  }

  /** Resolves with what is awaited, or with what came before it. */
  async #waitFor<T>(
    awaited: Promise<T>,
    limits: { ms: number; signal?: AbortSignal },
  ): Promise<T | Stop> {
    const stopped = Promise.withResolvers<Stop>();
    const clearTime = this.#timers.after(limits.ms, () => stopped.resolve("timeout"));
    const clearMemory = watchMemory(this.#timers, this.pid, () => stopped.resolve("memory"));
    const onAbort = () => stopped.resolve("aborted");
    limits.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([awaited, stopped.promise]);
    } finally {
      clearTime();
      clearMemory();
      limits.signal?.removeEventListener("abort", onAbort);
    }
  }

  #end(): void {
    this.#isEnding = true;
    if (this.#isAlive && !killGroup(this.#leader, "SIGKILL")) this.#child.kill("SIGKILL");
  }
}
