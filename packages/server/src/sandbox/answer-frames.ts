import { isNestedWithin } from "../lib/json/check-nesting.ts";
import { createByteCollector } from "../lib/streams/collect-bytes.ts";
import {
  answerBodyBytesMax,
  answerHeaderBytesMax,
  type CodeAnswer,
  codeAnswerSchema,
  prefixBytes,
  readPrefix,
} from "./code-frames.ts";
import {
  isQuestion,
  type QuestionHeader,
  type ScriptAnswer,
  scriptFrameSchema,
} from "./question-frames.ts";

export type Frame<Header> = { header: Header; body: Uint8Array };

/** What is waited for. `read` checks a header, and says what to do with its frame. */
type Asked = {
  read(header: unknown, body: Uint8Array): { isLast: boolean; deliver(): void };
  reject(cause: Error): void;
};

/**
 * Reads answers. It always reads, so that a process cannot fill the memory while nothing is asked, and
 * ends a process for the first byte that no answer can have.
 */
export class AnswerFrames {
  readonly #bytes = createByteCollector();
  #held = 0;
  /** The bytes with which the next step is possible: to read the prefix, or the whole frame. */
  #wanted = prefixBytes;
  #failure: Error | null = null;
  #asked: Asked | null = null;

  constructor(stdout: ReadableStream<Uint8Array>, end: () => void) {
    this.#readAll(stdout).catch((cause: Error) => {
      this.#failure = cause;
      end();
      this.#asked?.reject(cause);
    });
  }

  /** Resolves with one answer. Nothing may follow it. */
  next(): Promise<Frame<CodeAnswer>> {
    return this.#ask((resolve) => (given, body) => {
      const header = codeAnswerSchema.parse(given);
      return { isLast: true, deliver: () => resolve({ header, body }) };
    });
  }

  /** Gives each question of a script to `take`, and resolves with its end. Nothing may follow the end. */
  follow(take: (question: Frame<QuestionHeader>) => void): Promise<Frame<ScriptAnswer>> {
    return this.#ask((resolve) => (given, body) => {
      const header = scriptFrameSchema.parse(given);
      if (isQuestion(header)) return { isLast: false, deliver: () => take({ header, body }) };
      return { isLast: true, deliver: () => resolve({ header, body }) };
    });
  }

  #ask<T>(open: (resolve: (value: T) => void) => Asked["read"]): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // It may be rejected after another end was waited for.
    promise.catch(() => {});
    if (this.#failure !== null) reject(this.#failure);
    else this.#asked = { read: open(resolve), reject };
    return promise;
  }

  async #readAll(stdout: ReadableStream<Uint8Array>): Promise<never> {
    for await (const chunk of stdout) this.#take(chunk);
    throw new Error("The process ended.");
  }

  #take(chunk: Uint8Array): void {
    const asked = this.#asked;
    if (asked === null) throw new Error("The process sent what was not asked for.");
    this.#bytes.add(chunk);
    this.#held += chunk.length;
    for (let frame = this.#cut(); frame !== null; frame = this.#cut()) {
      const { isLast, deliver } = asked.read(readHeader(frame.header), frame.body);
      if (isLast && this.#held > 0) throw new Error("More follows an answer.");
      if (isLast) this.#asked = null;
      deliver();
      if (isLast) return;
    }
  }

  /** Takes a whole frame from what was read. Null if it is not there yet. */
  #cut(): Frame<Uint8Array> | null {
    if (this.#held < this.#wanted) return null;
    const all = this.#bytes.take();
    const { headerBytes, bodyBytes } = readPrefix(all);
    if (headerBytes > answerHeaderBytesMax || bodyBytes > answerBodyBytesMax) {
      throw new Error("An answer is too long.");
    }
    const bodyStart = prefixBytes + headerBytes;
    const end = bodyStart + bodyBytes;
    const isWhole = all.length >= end;
    const rest = isWhole ? all.subarray(end) : all;
    if (rest.length > 0) this.#bytes.add(rest);
    this.#held = rest.length;
    this.#wanted = isWhole ? prefixBytes : end;
    if (!isWhole) return null;
    return { header: all.subarray(prefixBytes, bodyStart), body: all.subarray(bodyStart, end) };
  }
}

function readHeader(bytes: Uint8Array): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (!isNestedWithin(text, 3)) throw new Error("A header is nested too deeply.");
  return JSON.parse(text);
}
