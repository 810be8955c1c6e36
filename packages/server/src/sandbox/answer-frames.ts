import { isNestedWithin } from "../lib/json/check-nesting.ts";
import {
  answerBodyBytesMax,
  answerHeaderBytesMax,
  type CodeAnswer,
  codeAnswerSchema,
  prefixBytes,
  readPrefix,
} from "./code-frames.ts";

export type AnswerFrame = { answer: CodeAnswer; body: Uint8Array };

/**
 * Reads answers. It always reads, so that a process cannot fill the memory while nothing is asked, and
 * ends a process for the first byte that no answer can have.
 */
export class AnswerFrames {
  #chunks: Uint8Array[] = [];
  #held = 0;
  #failure: Error | null = null;
  #asked: { resolve(frame: AnswerFrame): void; reject(cause: Error): void } | null = null;

  constructor(stdout: ReadableStream<Uint8Array>, end: () => void) {
    this.#readAll(stdout).catch((cause: Error) => {
      this.#failure = cause;
      end();
      this.#asked?.reject(cause);
    });
  }

  next(): Promise<AnswerFrame> {
    const { promise, resolve, reject } = Promise.withResolvers<AnswerFrame>();
    // It may be rejected after another end was waited for.
    promise.catch(() => {});
    if (this.#failure !== null) reject(this.#failure);
    else this.#asked = { resolve, reject };
    return promise;
  }

  async #readAll(stdout: ReadableStream<Uint8Array>): Promise<never> {
    for await (const chunk of stdout) this.#take(chunk);
    throw new Error("The process ended.");
  }

  #take(chunk: Uint8Array): void {
    if (this.#asked === null) throw new Error("The process sent what was not asked for.");
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held < prefixBytes) return;
    const { headerBytes, bodyBytes } = readPrefix(this.#joinFirst());
    if (headerBytes > answerHeaderBytesMax || bodyBytes > answerBodyBytesMax) {
      throw new Error("An answer is too long.");
    }
    const bodyStart = prefixBytes + headerBytes;
    if (this.#held < bodyStart + bodyBytes) return;
    if (this.#held > bodyStart + bodyBytes) throw new Error("More follows an answer.");
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#held = 0;
    const answer = readHeader(all.subarray(prefixBytes, bodyStart));
    const { resolve } = this.#asked;
    this.#asked = null;
    resolve({ answer, body: all.subarray(bodyStart) });
  }

  /** A chunk that has the prefix. Chunks of an answer are joined only once. */
  #joinFirst(): Uint8Array {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= prefixBytes) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

function readHeader(bytes: Uint8Array): CodeAnswer {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!isNestedWithin(text, 3)) throw new Error("A header is nested too deeply.");
  return codeAnswerSchema.parse(JSON.parse(text));
}
