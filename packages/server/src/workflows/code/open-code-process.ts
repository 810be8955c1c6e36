import { readFileSync } from "node:fs";
import { HubError } from "../../errors.ts";
import { isNestedWithin } from "../../lib/check-nesting.ts";
import type { Log } from "../../lib/create-log.ts";
import type { SelfCommand } from "../../lib/self-command.ts";
import type { Timers } from "../../lib/timers.ts";
import { killGroup, toLeader } from "../../plugins/process/kill-group.ts";
import {
  answerBodyBytesMax,
  answerHeaderBytesMax,
  type CodeAnswer,
  type CodeJob,
  codeAnswerSchema,
  type InputPart,
  prefixBytes,
  readPrefix,
  toPrefix,
} from "./code-frames.ts";
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
  const child = spawn(command);
  // It must not keep the hub from ending.
  child.unref();
  let isAlive = true;
  const leader = toLeader(child.pid);
  const exited = child.exited.then(() => {
    isAlive = false;
    // Also what it has started, should it have been taken over.
    killGroup(leader, "SIGKILL");
  });
  const end = () => {
    if (isAlive && !killGroup(leader, "SIGKILL")) child.kill("SIGKILL");
  };
  const kill = async () => {
    end();
    await exited;
  };
  const frames = readFrames(child.stdout, end);
  let keptKey: object | null = null;

  /** Resolves with the next answer, or with what came before it. */
  async function nextFrame(limits: { ms: number; signal?: AbortSignal }): Promise<Frame | Stop> {
    const stopped = Promise.withResolvers<Stop>();
    const clearTime = timers.after(limits.ms, () => stopped.resolve("timeout"));
    const clearMemory = watchMemory(timers, child.pid, () => stopped.resolve("memory"));
    const onAbort = () => stopped.resolve("aborted");
    limits.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([frames.next(), stopped.promise]);
    } finally {
      clearTime();
      clearMemory();
      limits.signal?.removeEventListener("abort", onAbort);
    }
  }

  async function send({ shared, own, ...rest }: CodeRequest): Promise<void> {
    const usesKept = shared !== null && shared.key === keptKey;
    keptKey = shared?.key ?? null;
    const sent = usesKept || shared === null ? { parts: [], body: [] } : shared;
    const parts = [...sent.parts, ...own.parts];
    const body = [...sent.body, ...own.body];
    const job: CodeJob = { ...rest, usesKept, keeps: sent.parts.length, parts };
    const header = new TextEncoder().encode(JSON.stringify(job));
    const bodyBytes = body.reduce((sum, { length }) => sum + length, 0);
    child.stdin.write(toPrefix(header, bodyBytes));
    child.stdin.write(header);
    for (const part of body) {
      for (let start = 0; start < part.length; start += sendBytesPerPortion) {
        child.stdin.write(part.subarray(start, start + sendBytesPerPortion));
        await child.stdin.flush();
      }
    }
    await child.stdin.flush();
  }

  async function run(request: CodeRequest, signal: AbortSignal): Promise<CodeResult> {
    const sending = Promise.withResolvers<"timeout" | "aborted">();
    const clear = timers.after(sendMsMax, () => sending.resolve("timeout"));
    const onAbort = () => sending.resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    const sent = await Promise.race([send(request), sending.promise]).finally(() => {
      clear();
      signal.removeEventListener("abort", onAbort);
    });
    if (sent === "timeout") throw new Error("The process did not read its inputs.");
    signal.throwIfAborted();
    const end = await nextFrame({ ms: request.timeoutMs + graceMs, signal });
    if (end === "aborted") throw signal.reason;
    if (typeof end === "string") return { kind: "killed", reason: end };
    if (end.answer.kind === "ready") throw new Error("The process started twice.");
    return { kind: "answer", answer: end.answer, body: end.body };
  }

  try {
    const first = await nextFrame({ ms: startMsMax });
    if (typeof first === "string") throw new Error(`The process was not ready: ${first}.`);
    if (first.answer.kind !== "ready") throw new Error("The process sent something else first.");
    if (!first.answer.isLimited) {
      log?.warn({ pid: child.pid }, "The system does not limit the processes of code nodes");
    }
  } catch (cause) {
    await kill();
    throw toStartFailure(cause);
  }
  return {
    pid: child.pid,
    isAlive: () => isAlive,
    kill,
    async run(request, signal) {
      try {
        const result = await run(request, signal);
        // Its state is unknown.
        if (result.kind === "killed") await kill();
        return result;
      } catch (thrown) {
        await kill();
        if (signal.aborted) throw signal.reason;
        return { kind: "broken", cause: new Error("The process failed", { cause: thrown }) };
      }
    },
  };
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

type Stop = "timeout" | "memory" | "aborted";
type Frame = { answer: CodeAnswer; body: Uint8Array };

/**
 * Reads answers. It always reads, so that a process cannot fill the memory while nothing is asked, and
 * ends a process for the first byte that no answer can have.
 */
function readFrames(stdout: ReadableStream<Uint8Array>, end: () => void) {
  let chunks: Uint8Array[] = [];
  let held = 0;
  let failure: Error | null = null;
  let asked: { resolve(frame: Frame): void; reject(cause: Error): void } | null = null;

  function take(chunk: Uint8Array): void {
    if (asked === null) throw new Error("The process sent what was not asked for.");
    chunks.push(chunk);
    held += chunk.length;
    if (held < prefixBytes) return;
    const { headerBytes, bodyBytes } = readPrefix(joinFirst());
    if (headerBytes > answerHeaderBytesMax || bodyBytes > answerBodyBytesMax) {
      throw new Error("An answer is too long.");
    }
    const bodyStart = prefixBytes + headerBytes;
    if (held < bodyStart + bodyBytes) return;
    if (held > bodyStart + bodyBytes) throw new Error("More follows an answer.");
    const all = Buffer.concat(chunks);
    chunks = [];
    held = 0;
    const answer = readHeader(all.subarray(prefixBytes, bodyStart));
    const { resolve } = asked;
    asked = null;
    resolve({ answer, body: all.subarray(bodyStart) });
  }

  /** A chunk that has the prefix. Chunks of an answer are joined only once. */
  function joinFirst(): Uint8Array {
    const [first] = chunks;
    if (first !== undefined && first.length >= prefixBytes) return first;
    const all = Buffer.concat(chunks);
    chunks = [all];
    return all;
  }

  async function readAll(): Promise<void> {
    for await (const chunk of stdout) take(chunk);
    throw new Error("The process ended.");
  }
  readAll().catch((cause: Error) => {
    failure = cause;
    end();
    asked?.reject(cause);
  });

  return {
    next(): Promise<Frame> {
      const { promise, resolve, reject } = Promise.withResolvers<Frame>();
      // It may be rejected after another end was waited for.
      promise.catch(() => {});
      if (failure !== null) reject(failure);
      else asked = { resolve, reject };
      return promise;
    },
  };
}

function readHeader(bytes: Uint8Array): CodeAnswer {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!isNestedWithin(text, 3)) throw new Error("A header is nested too deeply.");
  return codeAnswerSchema.parse(JSON.parse(text));
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
