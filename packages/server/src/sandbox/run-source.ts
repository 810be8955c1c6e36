import type { QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import type { Hub } from "./ask-hub.ts";
import {
  logCharsMax,
  logLinesMax,
  messageCharsMax,
  stackBytesMax,
  valueBytesMax,
} from "./code-limits.ts";
import { connectHub } from "./connect-hub.ts";
import type { ScriptFailure } from "./question-frames.ts";
import { sandboxSetup } from "./sandbox-setup.ts";
import { startClock } from "./script-clock.ts";
import { findLine, readThrown, type Thrown, toThrown } from "./thrown.ts";

/** A script with its inputs, as JSON. */
export type SourceRun = {
  source: string;
  timeoutMs: number;
  /** Whether the interpreter has so much memory that it may get no more. */
  isFull(): boolean;
  /** Null only reads the source. */
  inputs: ReadonlyArray<{ path: readonly string[]; read(): string }> | null;
  /** For a script that asks the hub. Its waiting is no computing. */
  asks: { hub: Hub; computeMs: number } | null;
};

export type SourceEnd = { kind: "value"; text: string; logs: string[] } | ScriptFailure;

const fileName = "source.js";

/** Runs a script in an interpreter that has run nothing before. */
export function runSource(quickjs: QuickJSWASMModule, run: SourceRun): SourceEnd {
  const { asks } = run;
  const clock = startClock({ timeoutMs: run.timeoutMs, computeMs: asks?.computeMs ?? null });
  let over: "timeout" | "computing" | null = null;
  const runtime = quickjs.newRuntime({
    maxStackSizeBytes: stackBytesMax,
    interruptHandler: () => {
      over ??= clock.findOver();
      return over !== null;
    },
  });
  const ctx = runtime.newContext();
  const logs: string[] = [];
  const fail = (reason: ScriptFailure["reason"], message = "", line: number | null = null) =>
    ({ kind: "failed", reason, message, line, logs }) as const;

  function toFailure(thrown: Thrown, reason: "syntax" | "threw" | "output"): ScriptFailure {
    if (over !== null) return fail(over);
    const { name, message, stack, members } = thrown;
    if (name === "InternalError" && message === "out of memory") return fail("memory");
    // Without memory for an error, null is thrown.
    if (name === "" && message === "null" && run.isFull()) return fail("memory");
    const line = findLine(stack);
    if (reason === "syntax" && line !== null && line > countLines(run.source)) {
      return fail(reason, "SyntaxError: the source ends too early", countLines(run.source));
    }
    const text = name === "" ? message : `${name}: ${message}`;
    // A script can write its own stack.
    const isKnown = line !== null && line <= countLines(run.source);
    const failure = fail(reason, text.slice(0, messageCharsMax), isKnown ? line : null);
    return asks === null ? failure : { ...failure, members };
  }

  const compiled = ctx.evalCode(wrapSource(run.source), fileName, {
    strict: true,
    ...(run.inputs === null && { compileOnly: true }),
  });
  if (compiled.error) return toFailure(readThrown(ctx, compiled.error), "syntax");
  if (run.inputs === null) return { kind: "value", text: "null", logs };

  let end: SourceEnd | null = null;
  const { inputs } = run;
  const paths = inputs.map(({ path }) => path);
  const hostRead = ctx.newFunction("read", (index) =>
    ctx.newString(inputs[ctx.getNumber(index)]?.read() ?? "null"),
  );
  const hostPrint = ctx.newFunction("print", (line) => {
    if (logs.length < logLinesMax) logs.push(cutChars(ctx.getString(line), logCharsMax));
    else logs[logLinesMax] = "More lines are left out.";
  });
  const lengthOf = (text: QuickJSHandle) => ctx.getNumber(ctx.getProp(text, "length"));
  const hostFinish = ctx.newFunction("finish", (kindHandle, textHandle) => {
    const kind = ctx.getString(kindHandle);
    if (lengthOf(textHandle) > valueBytesMax) end = fail("too_large");
    else if (kind === "value") end = toValue(ctx.getString(textHandle));
    else end = toFailure(toThrown(ctx.getString(textHandle)), kind === "output" ? kind : "threw");
  });
  const toValue = (text: string): SourceEnd =>
    Buffer.byteLength(text) > valueBytesMax ? fail("too_large") : { kind: "value", text, logs };
  const hub = asks === null ? null : connectHub(ctx, asks.hub);

  const setup = ctx.unwrapResult(ctx.evalCode(sandboxSetup, "setup.js"));
  const pathsText = ctx.newString(JSON.stringify(paths));
  const host = [pathsText, hostRead, hostPrint, hostFinish, ...(hub?.functions ?? [])];
  const prepared = ctx.callFunction(setup, ctx.undefined, ...host);
  if (prepared.error) return toFailure(readThrown(ctx, prepared.error), "threw");
  const called = ctx.callFunction(prepared.value, ctx.undefined, compiled.value);
  if (called.error) return toFailure(readThrown(ctx, called.error), "threw");
  while (end === null) {
    // One at a time, so that the end of the script ends the run.
    const jobs = runtime.executePendingJobs(1);
    if (jobs.error) return toFailure(readThrown(jobs.error.context, jobs.error), "threw");
    if (jobs.value > 0) continue;
    if (hub === null || over !== null) break;
    const next = clock.wait(() => hub.waitForReply());
    if (next === "none") break;
    if (next === "stop") return fail("timeout");
    const completed = hub.complete(next);
    if (completed.error) return toFailure(readThrown(ctx, completed.error), "threw");
  }
  return end ?? fail(over ?? "pending");
}

/** The source is the body of the function, with its lines unchanged. */
function wrapSource(source: string): string {
  return `(async function () {${source}\n})`;
}

function countLines(text: string): number {
  return text.split("\n").length;
}

function cutChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
