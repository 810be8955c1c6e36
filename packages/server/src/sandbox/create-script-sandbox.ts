import { HubError } from "../errors.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { CodePool } from "./code-pool.ts";
import type { CodeProcess, ScriptResult } from "./open-code-process.ts";
import { readScriptValue } from "./read-value.ts";
import { toScriptError } from "./script-errors.ts";
import { computeMsMax, processWaitMsMax, scriptSourceBytesMax } from "./script-limits.ts";
import type { ScriptEnd, ScriptSandbox } from "./script-sandbox.ts";
import { writeScriptInput } from "./write-script-input.ts";

type SandboxDeps = {
  pool: Pick<CodePool, "runOnce">;
  timers: Timers;
  /** Processor time of one script. */
  computeMs?: number;
};

export function createScriptSandbox(deps: SandboxDeps): ScriptSandbox {
  const { pool, timers, computeMs = computeMsMax } = deps;
  return {
    async run(script, signal) {
      const { ownerId, source, input, timeoutMs, answer } = script;
      checkSource(source);
      const waiting = new AbortController();
      const cancel = timers.after(processWaitMsMax, () => waiting.abort(toBusy()));
      const prepare = async () => {
        cancel();
        const own = await writeScriptInput(input);
        const request = { source, timeoutMs, computeMs, own, answer };
        return (process: CodeProcess, given: AbortSignal) => process.runScript(request, given);
      };
      try {
        const both = AbortSignal.any([signal, waiting.signal]);
        return toEnd(await pool.runOnce(ownerId, prepare, both), { timeoutMs, computeMs });
      } finally {
        cancel();
      }
    },
  };
}

function toEnd(result: ScriptResult, limits: { timeoutMs: number; computeMs: number }): ScriptEnd {
  const { counts } = result;
  if (result.kind === "broken") return { kind: "broken" };
  if (result.kind === "killed") {
    return { kind: "failed", error: toScriptError(result, counts, limits), logs: [] };
  }
  const { answer, body } = result;
  const { logs } = answer;
  if (answer.kind === "failed") {
    return { kind: "failed", error: toScriptError(answer, counts, limits), logs };
  }
  try {
    return { kind: "value", value: readScriptValue(body), logs };
  } catch (thrown) {
    // What no script can return comes from a process that has been taken over.
    if (!(thrown instanceof HubError)) return { kind: "broken" };
    return { kind: "failed", error: thrown, logs };
  }
}

function checkSource(source: string): void {
  if (Buffer.byteLength(source) <= scriptSourceBytesMax) return;
  throw new HubError(
    "invalid_params",
    "source: it may have at most 64 KiB. Send a shorter script.",
  );
}

function toBusy(): HubError {
  const waitS = processWaitMsMax / 1000;
  return new HubError(
    "rate_limited",
    `The script waited ${waitS} s for a process: another script of yours runs, or those of others use all. Try again when yours has ended.`,
    { detail: { retry_after_s: waitS, waited_s: waitS } },
  );
}
