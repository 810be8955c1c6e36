import { type Json, parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { findJsonExcess } from "../../lib/scan-json.ts";
import type { CodeFailure } from "./code-frames.ts";
import { type CodeInputs, listOwn, listShared, writeInputs } from "./code-inputs.ts";
import { valueDepthMax, valuesMax } from "./code-limits.ts";
import type { CodePool } from "./code-pool.ts";
import type { CodeRequest, CodeResult, WrittenInputs } from "./open-code-process.ts";

/** Runs the scripts of code nodes. */
export type CodeRunner = {
  /** Returns what the script returns. */
  run(script: Script, signal: AbortSignal): Promise<Json>;
  /** Finds the first error of syntax. */
  check(ownerId: string, source: string): Promise<SyntaxProblem | null>;
};

export type Script = {
  ownerId: string;
  source: string;
  timeoutMs: number;
  inputs: CodeInputs;
  /** Gets what the script has printed, also if it fails. */
  noteLogs(lines: readonly string[]): void;
};

export type SyntaxProblem = { message: string; line: number | null };

const checkMs = 2000;

type RunnerDeps = {
  scripts: Pick<CodePool, "run">;
  /** Reads sources. Drafts can be saved while scripts use all their processes. */
  checks: Pick<CodePool, "run">;
};

export function createCodeRunner({ scripts, checks }: RunnerDeps): CodeRunner {
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
      const { ownerId, timeoutMs, noteLogs } = script;
      const result = await scripts.run(ownerId, () => writeRequest(script), signal);
      if (result.kind !== "answer") throw toCrash(result, timeoutMs);
      const { answer, body } = result;
      noteLogs(answer.logs);
      if (answer.kind === "failed") throw toFailure(answer, timeoutMs);
      return readValue(body);
    },
    async check(ownerId, source) {
      const own: WrittenInputs = { parts: [], body: [] };
      const request = { kind: "check" as const, source, timeoutMs: checkMs, shared: null, own };
      const { signal } = new AbortController();
      const result = await checks.run(ownerId, () => request, signal);
      if (result.kind !== "answer") throw toCrash(result, checkMs);
      const { answer } = result;
      return answer.kind === "value" ? null : { message: answer.message, line: answer.line };
    },
  };
}

/** The text comes from a process that may have been taken over, so its cost is checked first. */
function readValue(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const excess = findJsonExcess(text, { depthMax: valueDepthMax, valuesMax });
    if (excess === null) return parseJson(text);
    const limit =
      excess === "depth"
        ? `nested deeper than ${valueDepthMax} levels`
        : `of more than ${valuesMax.toLocaleString("en")} values`;
    throw refuse(`The script returned a value ${limit}. Return less.`);
  } catch (cause) {
    if (cause instanceof HubError) throw cause;
    throw toCrash({ kind: "broken", cause: new Error("The value is no JSON", { cause }) }, 0);
  }
}

function toFailure({ reason, message, line }: CodeFailure, timeoutMs: number): HubError {
  const place = line === null ? "" : ` on line ${line}`;
  switch (reason) {
    case "syntax":
      return refuse(`The script has an error${place}: ${message}.`);
    case "threw":
      return refuse(`The script threw${place}: ${message}`);
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
