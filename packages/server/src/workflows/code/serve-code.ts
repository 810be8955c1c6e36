import { readSync, writeSync } from "node:fs";
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
  const wasmModule = new WebAssembly.Module(await Bun.file(wasmPath).bytes());
  /** An interpreter with memory of its own, so nothing of another script is in it. */
  const load = () => {
    // The limits of QuickJS itself count no bytes in WebAssembly.
    const wasmMemory = new WebAssembly.Memory({ initial: firstPages, maximum: pagesMax });
    return newQuickJSWASMModuleFromVariant(newVariant(baseVariant, { wasmModule, wasmMemory }));
  };
  // Compiles what the first script would wait for.
  runSource(await load(), { source: "", timeoutMs: 1000, inputs: { paths: [], read: () => "" } });
  const isLimited = limitProcess();
  send({ kind: "ready", isLimited });
  for (;;) {
    const prefix = readBytes(prefixBytes);
    if (prefix === null) return;
    const { headerBytes, bodyBytes } = readPrefix(prefix);
    const header = readBytes(headerBytes);
    const body = readBytes(bodyBytes);
    if (header === null || body === null) return;
    const job: CodeJob = JSON.parse(decoder.decode(header));
    allowCpuSeconds(Math.ceil(job.timeoutMs / 1000) + 2);
    const quickjs = await load();
    const end = runSafely(() =>
      runSource(quickjs, {
        ...{ source: job.source, timeoutMs: job.timeoutMs },
        inputs: job.kind === "check" ? null : toInputs(job.parts, body),
      }),
    );
    if (end.kind === "value") send({ kind: "value", logs: end.logs }, encoder.encode(end.text));
    else send(end);
  }
}

/** The interpreter itself can fail, such as by the limit of the stack around it. */
function runSafely(run: () => SourceEnd): SourceEnd {
  try {
    return run();
  } catch (thrown) {
    const message = `The interpreter failed: ${String(thrown).slice(0, 200)}`;
    return { kind: "failed", reason: "threw", message, line: null, logs: [] };
  }
}

function toInputs(parts: readonly InputPart[], body: Uint8Array) {
  const starts: number[] = [];
  let start = 0;
  for (const { bytes } of parts) {
    starts.push(start);
    start += bytes;
  }
  return {
    paths: parts.map(({ path }) => path),
    read(index: number): string {
      const from = starts[index] ?? 0;
      return decoder.decode(body.subarray(from, from + (parts[index]?.bytes ?? 0)));
    },
  };
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
