import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import type { CodeFailure } from "./code-frames.ts";
import {
  logCharsMax,
  logLinesMax,
  messageCharsMax,
  stackBytesMax,
  valueBytesMax,
} from "./code-limits.ts";
import { sandboxSetup } from "./sandbox-setup.ts";

/** A script with its inputs, as JSON. */
export type SourceRun = {
  source: string;
  timeoutMs: number;
  /** Whether the interpreter has so much memory that it may get no more. */
  isFull(): boolean;
  /** Null only reads the source. */
  inputs: ReadonlyArray<{ path: readonly string[]; read(): string }> | null;
};

export type SourceEnd = { kind: "value"; text: string; logs: string[] } | CodeFailure;

const fileName = "source.js";

/** Runs a script in an interpreter that has run nothing before. */
export function runSource(quickjs: QuickJSWASMModule, run: SourceRun): SourceEnd {
  const deadline = performance.now() + run.timeoutMs;
  let isOver = false;
  const runtime = quickjs.newRuntime({
    maxStackSizeBytes: stackBytesMax,
    interruptHandler: () => {
      isOver ||= performance.now() >= deadline;
      return isOver;
    },
  });
  const ctx = runtime.newContext();
  const logs: string[] = [];
  const fail = (reason: CodeFailure["reason"], message = "", line: number | null = null) =>
    ({ kind: "failed", reason, message, line, logs }) as const;

  function toFailure(thrown: Thrown, reason: "syntax" | "threw" | "output"): CodeFailure {
    if (isOver) return fail("timeout");
    const { name, message, stack } = thrown;
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
    return fail(reason, text.slice(0, messageCharsMax), isKnown ? line : null);
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
  const hostFinish = ctx.newFunction("finish", (kindHandle, textHandle) => {
    const kind = ctx.getString(kindHandle);
    if (ctx.getNumber(ctx.getProp(textHandle, "length")) > valueBytesMax) end = fail("too_large");
    else if (kind === "value") end = toValue(ctx.getString(textHandle));
    else end = toFailure(toThrown(ctx.getString(textHandle)), kind === "output" ? kind : "threw");
  });
  const toValue = (text: string): SourceEnd =>
    Buffer.byteLength(text) > valueBytesMax ? fail("too_large") : { kind: "value", text, logs };

  const setup = ctx.unwrapResult(ctx.evalCode(sandboxSetup, "setup.js"));
  const pathsText = ctx.newString(JSON.stringify(paths));
  const prepared = ctx.callFunction(
    setup,
    ctx.undefined,
    pathsText,
    hostRead,
    hostPrint,
    hostFinish,
  );
  if (prepared.error) return toFailure(readThrown(ctx, prepared.error), "threw");
  const called = ctx.callFunction(prepared.value, ctx.undefined, compiled.value);
  if (called.error) return toFailure(readThrown(ctx, called.error), "threw");
  while (end === null) {
    // One at a time, so that the end of the script ends the run.
    const jobs = runtime.executePendingJobs(1);
    if (jobs.error) return toFailure(readThrown(jobs.error.context, jobs.error), "threw");
    if (jobs.value === 0) break;
  }
  return end ?? (isOver ? fail("timeout") : fail("pending"));
}

/** The source is the body of the function, with its lines unchanged. */
function wrapSource(source: string): string {
  return `(async function () {${source}\n})`;
}

type Thrown = { name: string; message: string; stack: string };

const unknownThrown: Thrown = { name: "", message: "", stack: "" };

/** An error that QuickJS itself has made. */
function readThrown(ctx: QuickJSContext, handle: QuickJSHandle): Thrown {
  try {
    const dumped: unknown = ctx.dump(handle);
    if (dumped === null) return { name: "", message: "null", stack: "" };
    return readMembers(dumped);
  } catch {
    return unknownThrown;
  }
}

function toThrown(text: string): Thrown {
  try {
    return readMembers(JSON.parse(text));
  } catch {
    return unknownThrown;
  }
}

function readMembers(value: unknown): Thrown {
  const { name, message, stack } = { ...unknownThrown, ...Object(value) };
  return { name: String(name), message: String(message), stack: String(stack) };
}

/** The innermost place in the source of the user. */
function findLine(stack: string): number | null {
  const line = Number(/source\.js:(\d+)/.exec(stack)?.[1] ?? 0);
  return line >= 1 && line <= 1_000_000 ? line : null;
}

function countLines(text: string): number {
  return text.split("\n").length;
}

function cutChars(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
