import { resolve } from "node:path";
import baseVariant from "@jitl/quickjs-wasmfile-release-sync";
import wasmPath from "@jitl/quickjs-wasmfile-release-sync/wasm" with { type: "file" };
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import { openHub } from "./ask-hub.ts";
import type { CodeAnswer, CodeJob, InputPart } from "./code-frames.ts";
import { scriptBytesMax } from "./code-limits.ts";
import { allowCpuSeconds, limitProcess } from "./limit-process.ts";
import { readFrame, sendFrame } from "./process-frames.ts";
import { runSource, type SourceEnd } from "./run-source.ts";

const pageBytes = 64 * 1024;
/** What the interpreter was compiled for. */
const firstPages = 256;
const pagesMax = scriptBytesMax / pageBytes;

const decoder = new TextDecoder();

/** Runs scripts until stdin ends. */
export async function serveCode(): Promise<void> {
  // In a bundle, the path is relative to the file.
  const wasm = Bun.file(resolve(import.meta.dirname, wasmPath));
  const wasmModule = new WebAssembly.Module(await wasm.bytes());
  /** An interpreter with memory of its own, so nothing of another script is in it. */
  const load = async () => {
    // The limits of QuickJS itself count no bytes in WebAssembly.
    const wasmMemory = new WebAssembly.Memory({ initial: firstPages, maximum: pagesMax });
    const variant = newVariant(baseVariant, { wasmModule, wasmMemory });
    // It grows by large steps, so the last one does not fit.
    const isFull = () => wasmMemory.buffer.byteLength >= scriptBytesMax / 2;
    return { quickjs: await newQuickJSWASMModuleFromVariant(variant), isFull };
  };
  // Compiles what the first script would wait for.
  const { quickjs, isFull } = await load();
  runSource(quickjs, { source: "", timeoutMs: 1000, isFull, inputs: [], asks: null });
  const isLimited = limitProcess();
  sendFrame({ kind: "ready", isLimited } satisfies CodeAnswer);
  let kept: Inputs = [];
  for (;;) {
    const frame = readFrame();
    if (frame === null) return;
    const { header, body } = frame;
    // What was sent to a script that had just ended.
    if (header.kind === "reply" || header.kind === "stop") continue;
    const job = header as CodeJob;
    const sent = toInputs(job.parts, body);
    if (!job.usesKept) kept = sent.slice(0, job.keeps);
    const inputs = job.usesKept ? [...kept, ...sent] : sent;
    const { source, timeoutMs, asks } = job;
    allowCpuSeconds(Math.ceil((asks?.computeMs ?? timeoutMs) / 1000) + 2);
    const { quickjs, isFull } = await load();
    const end = runSafely(() =>
      runSource(quickjs, {
        source,
        timeoutMs,
        isFull,
        inputs: job.kind === "check" ? null : inputs,
        asks: asks ? { computeMs: asks.computeMs, hub: openHub(asks.firstId) } : null,
      }),
    );
    if (end.kind === "failed") sendFrame(end);
    else sendFrame({ kind: "value", logs: end.logs }, new TextEncoder().encode(end.text));
  }
}

/** The interpreter can also fail by the limits of what runs it. */
function runSafely(run: () => SourceEnd): SourceEnd {
  try {
    return run();
  } catch (thrown) {
    const isDeep = thrown instanceof RangeError;
    const message = isDeep
      ? "RangeError: calls or data are nested too deeply"
      : `InternalError: ${String(thrown).slice(0, 200)}`;
    return { kind: "failed", reason: "threw", message, line: null, logs: [] };
  }
}

type Inputs = Array<{ path: string[]; read(): string }>;

function toInputs(parts: readonly InputPart[], body: Uint8Array): Inputs {
  let start = 0;
  return parts.map(({ path, bytes }) => {
    const part = body.subarray(start, start + bytes);
    start += bytes;
    return { path, read: () => decoder.decode(part) };
  });
}
