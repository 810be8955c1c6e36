import type { Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CodeFailure } from "../../sandbox/code-frames.ts";
import type { CodePool } from "../../sandbox/code-pool.ts";
import type { WrittenInputs } from "../../sandbox/frame-writer.ts";
import type { CodeRequest, CodeResult } from "../../sandbox/open-code-process.ts";
import { readScriptValue } from "../../sandbox/read-value.ts";
import { type CodeInputs, listOwn, listShared, writeInputs } from "./code-inputs.ts";

/** Runs the scripts of code nodes. */
export type CodeRunner = {
  /** Returns what the script returns. */
  run(script: Script, signal: AbortSignal): Promise<Json>;
  /**
   * Begins the check of one body. The function finds the first error of syntax of each source. It throws
   * only when the signal has aborted.
   */
  openCheck(ownerId: string, signal: AbortSignal): SourceCheck;
};

export type SourceCheck = (source: string) => Promise<SourceProblem | null>;

export type SourceProblem =
  | { kind: "error"; message: string; line: number | null }
  | {
      /** Whether the source has an error is not known. */
      kind: "unknown";
      /** `busy`: too many checks of the owner wait. `late`: the body has had its time. */
      reason: "busy" | "late" | "large" | "failed";
    };

export type Script = {
  ownerId: string;
  source: string;
  timeoutMs: number;
  inputs: CodeInputs;
  /** Gets what the script has printed, also if it fails. */
  recordLogs(lines: readonly string[]): void;
};

/** The time of one source. */
const checkMs = 2000;

/** The time of all sources of a body, together with their waiting. */
export const bodyCheckMs = 10_000;

/** A body has one check at a time, so this many bodies of an owner wait. */
const waitingChecksMax = 16;

/** For the pool that reads sources. */
export const waitingChecks = {
  max: waitingChecksMax,
  refuse: () => new HubError("rate_limited", "Too many checks of scripts wait."),
};

type RunnerDeps = {
  scripts: Pick<CodePool, "run">;
  /** Reads sources. Drafts can be saved while scripts use all their processes. */
  checks: Pick<CodePool, "run">;
  timers: Timers;
};

export function createCodeRunner({ scripts, checks, timers }: RunnerDeps): CodeRunner {
  /** The texts of the inputs that the items of a node share, as long as the node runs. */
  const texts = new WeakMap<object, Promise<WrittenInputs>>();

  async function writeRequest({ source, timeoutMs, inputs }: Script): Promise<CodeRequest> {
    const { shared, scope } = inputs;
    const job = { kind: "run" as const, source, timeoutMs };
    if (scope === null) return { ...job, shared: null, own: await writeInputs(listShared(shared)) };
    const writing = texts.get(shared) ?? writeInputs(listShared(shared));
    texts.set(shared, writing);
    const own = await writeInputs(listOwn(inputs));
    return { ...job, shared: { ...(await writing), key: shared }, own };
  }

  return {
    async run(script, signal) {
      const { ownerId, timeoutMs, recordLogs } = script;
      const result = await scripts.run(ownerId, () => writeRequest(script), signal);
      if (result.kind !== "answer") throw toCrash(result, timeoutMs);
      const { answer, body } = result;
      recordLogs(answer.logs);
      if (answer.kind === "failed") throw toFailure(answer, timeoutMs);
      return readValue(body);
    },
    openCheck(ownerId, given) {
      let deadline: number | null = null;
      return async (source) => {
        deadline ??= timers.now() + bodyCheckMs;
        const late = new AbortController();
        const cancel = timers.after(Math.max(deadline - timers.now(), 0), () => late.abort());
        const signal = AbortSignal.any([given, late.signal]);
        try {
          return toProblem(await checks.run(ownerId, () => toCheckRequest(source), signal));
        } catch (thrown) {
          if (given.aborted) throw new HubError("cancelled", "The client has left.");
          if (late.signal.aborted) return { kind: "unknown", reason: "late" };
          const isBusy = thrown instanceof HubError && thrown.code === "rate_limited";
          return { kind: "unknown", reason: isBusy ? "busy" : "failed" };
        } finally {
          cancel();
        }
      };
    },
  };
}

function toCheckRequest(source: string): CodeRequest {
  const own: WrittenInputs = { parts: [], body: [] };
  return { kind: "check", source, timeoutMs: checkMs, shared: null, own };
}

function toProblem(result: CodeResult): SourceProblem | null {
  if (result.kind === "broken") return { kind: "unknown", reason: "failed" };
  if (result.kind !== "answer") return { kind: "unknown", reason: "large" };
  const { answer } = result;
  if (answer.kind === "value") return null;
  const { reason, message, line } = answer;
  if (reason === "memory" || reason === "timeout") return { kind: "unknown", reason: "large" };
  return { kind: "error", message, line };
}

function readValue(bytes: Uint8Array): Json {
  try {
    return readScriptValue(bytes);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw toCrash({ kind: "broken", cause: new Error("The value is no JSON", { cause }) }, 0);
  }
}

function toFailure({ reason, message, line }: CodeFailure, timeoutMs: number): HubError {
  const suffix = line === null ? "" : ` on line ${line}`;
  switch (reason) {
    case "syntax":
      return refuse(`The script has an error${suffix}: ${message}.`);
    case "threw":
      return refuse(`The script threw${suffix}: ${message}`);
    case "output":
      return refuse(
        `The script returned a value that JSON cannot have: ${message}. Return plain data.`,
      );
    case "too_large":
      return refuse("The script returned more than 1 MiB of JSON. Return less.");
    case "memory":
      return toMemoryFailure();
    case "timeout":
      return toTimeout(timeoutMs);
    case "pending":
      return refuse(
        "The script waits for a promise that never settles. There are no timers and no requests in a script. Use a wait, http or operation node.",
      );
  }
}

function toCrash(result: Exclude<CodeResult, { kind: "answer" }>, timeoutMs: number): HubError {
  if (result.kind === "broken") {
    return new HubError(
      "code_failed",
      "The process of the script ended before the script did, twice. Make the script simpler.",
      { cause: result.cause },
    );
  }
  return result.reason === "memory" ? toMemoryFailure() : toTimeout(timeoutMs);
}

function toMemoryFailure(): HubError {
  return refuse("The script needs more than 64 MiB of memory. Work on less data at a time.");
}

function toTimeout(timeoutMs: number): HubError {
  return new HubError(
    "timeout",
    `The script did not end within its ${timeoutMs.toLocaleString("en")} ms. Do less in one script, or raise timeout_ms (at most 10,000).`,
  );
}

function refuse(message: string): HubError {
  return new HubError("code_failed", message);
}
