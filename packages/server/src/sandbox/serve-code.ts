import { readSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import baseVariant from "@jitl/quickjs-wasmfile-release-sync";
import wasmPath from "@jitl/quickjs-wasmfile-release-sync/wasm" with { type: "file" };
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import {
  type CodeAnswer,
  type CodeJob,
  type InputPart,
  prefixBytes,
  readPrefix,
  toPrefix,
} from "./code-frames.ts";
import { scriptBytesMax } from "./code-limits.ts";
import { allowCpuSeconds, limitProcess } from "./limit-process.ts";
import { runSource, type SourceEnd } from "./run-source.ts";

const pageBytes = 64 * 1024;
/** What the interpreter was compiled for. */
const firstPages = 256;
const pagesMax = scriptBytesMax / pageBytes;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Runs scripts until stdin ends. It reads and writes without the event loop, because nothing else
 * happens in this process.
 */
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
  runSource(quickjs, { source: "", timeoutMs: 1000, isFull, inputs: [] });
  const isLimited = limitProcess();
  send({ kind: "ready", isLimited });
  let kept: Inputs = [];
  for (;;) {
    const prefix = readBytes(prefixBytes);
    if (prefix === null) return;
    const { headerBytes, bodyBytes } = readPrefix(prefix);
    const header = readBytes(headerBytes);
    const body = readBytes(bodyBytes);
    if (header === null || body === null) return;
    const job: CodeJob = JSON.parse(decoder.decode(header));
    const sent = toInputs(job.parts, body);
    if (!job.usesKept) kept = sent.slice(0, job.keeps);
    const inputs = job.usesKept ? [...kept, ...sent] : sent;
    allowCpuSeconds(Math.ceil(job.timeoutMs / 1000) + 2);
    const { quickjs, isFull } = await load();
    const { source, timeoutMs } = job;
    const run = { source, timeoutMs, isFull, inputs: job.kind === "check" ? null : inputs };
    const end = runSafely(() => runSource(quickjs, run));
    if (end.kind === "value") send({ kind: "value", logs: end.logs }, encoder.encode(end.text));
    else send(end);
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

/** Null at the end of stdin. */
function readBytes(length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(0, bytes, filled, length - filled, null);
    if (read === 0) return null;
    filled += read;
  }
  return bytes;
}

function send(header: CodeAnswer, body: Uint8Array = new Uint8Array()): void {
  const headerText = encoder.encode(JSON.stringify(header));
  const frame = Buffer.concat([toPrefix(headerText, body.length), headerText, body]);
  let written = 0;
  while (written < frame.length) written += writeSync(1, frame, written);
}
