import { type CodeJob, type InputPart, toPrefix } from "./code-frames.ts";
import type { HubFrame } from "./question-frames.ts";
import type { CodeChild } from "./spawn-code-process.ts";

/** Parts of inputs, and their JSON. */
export type WrittenInputs = { parts: InputPart[]; body: Uint8Array[] };

/** A job without what the writer adds. */
export type WrittenJob = Omit<CodeJob, "usesKept" | "keeps" | "parts"> & {
  /** Inputs of several jobs, with a name. A process gets them once while the jobs follow each other. */
  shared: (WrittenInputs & { key: object }) | null;
  own: WrittenInputs;
};

const sendBytesPerPortion = 256 * 1024;

/** Writes frames to a process, one after another. */
export class FrameWriter {
  readonly #stdin: CodeChild["stdin"];
  /** Names the shared inputs that the process has. */
  #keptKey: object | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(stdin: CodeChild["stdin"]) {
    this.#stdin = stdin;
  }

  async writeJob({ shared, own, ...rest }: WrittenJob): Promise<void> {
    const usesKept = shared !== null && shared.key === this.#keptKey;
    this.#keptKey = shared?.key ?? null;
    const sent = usesKept || shared === null ? { parts: [], body: [] } : shared;
    const parts = [...sent.parts, ...own.parts];
    const job: CodeJob = { ...rest, usesKept, keeps: sent.parts.length, parts };
    await this.#write(job, [...sent.body, ...own.body]);
  }

  /** Resolves when it is written. Never rejects: the end of a process is noticed where its answers are read. */
  writeFrame(header: HubFrame, body: Uint8Array): Promise<void> {
    return this.#write(header, [body]).catch(() => {});
  }

  #write(header: object, body: readonly Uint8Array[]): Promise<void> {
    const written = this.#last.then(() => this.#writeNow(header, body));
    this.#last = written.catch(() => {});
    return written;
  }

  async #writeNow(header: object, body: readonly Uint8Array[]): Promise<void> {
    const stdin = this.#stdin;
    const headerText = new TextEncoder().encode(JSON.stringify(header));
    const bodyBytes = body.reduce((sum, { length }) => sum + length, 0);
    stdin.write(toPrefix(headerText, bodyBytes));
    stdin.write(headerText);
    for (const part of body) {
      for (let start = 0; start < part.length; start += sendBytesPerPortion) {
        stdin.write(part.subarray(start, start + sendBytesPerPortion));
        await stdin.flush();
      }
    }
    await stdin.flush();
  }
}
