import { findNumberText } from "@hub/connector";
import { answerDepthMax, answerValuesMax } from "../limits/answer-limits.ts";
import { UnreadBody } from "../streams/unread-body.ts";
import { isBoxed, toTooDeepValue, toTooLargeValue } from "./plain-json.ts";

/** A large part of a value at `path`; the text has null in its position. */
export type LargePart = { path: Array<string | number>; content: UnreadBody | string };

/** A value as JSON text without its large parts. */
export type WrittenValue = { text: string; parts: LargePart[] };

type WriteDeps = {
  /** Called after each portion. */
  yieldToEventLoop(): Promise<void>;
  /** A longer text is passed on as a large part. */
  textCharsMax?: number;
  /** Whether members come in the order of their names. The default is their own order. */
  isSorted?: boolean;
};

/** A longer text is passed to the worker unchanged. */
const partCharsMax = 64 * 1024;
/** Values or characters that are written before the event loop gets control. */
const portionWeight = 32 * 1024;
const valueWeight = 8;
/** More names would hold the event loop while they are sorted, so they keep their order. */
const sortedMax = 20_000;
/** Limit of all small texts of a value together. Large ones cost nothing to write. */
const smallCharsMax = 64 * 1024 * 1024;

/**
 * Writes a value as JSON.stringify would, in portions. Getters, proxies and `toJSON` are called once.
 * Throws `upstream_error` for values that are cyclic, nested deeper than 256, or have more than a
 * million values.
 */
export async function writeJson(
  { yieldToEventLoop, textCharsMax = partCharsMax, isSorted = false }: WriteDeps,
  value: unknown,
): Promise<WrittenValue> {
  const writer = new JsonWriter(textCharsMax, isSorted);
  writer.begin(value);
  while (writer.step()) {
    if (writer.endPortion()) await yieldToEventLoop();
  }
  return writer.finish();
}

/** An open array or object; `next` is the index of its next item or key. */
type Open = OpenArray | OpenObject;
type OpenArray = { kind: "array"; items: readonly unknown[]; length: number; next: number };
type OpenObject = {
  kind: "object";
  value: object;
  keys: string[];
  next: number;
  isEmpty: boolean;
};

/** One value as it is written. */
class JsonWriter {
  readonly #textCharsMax: number;
  readonly #isSorted: boolean;
  readonly #stack: Open[] = [];
  readonly #parts: LargePart[] = [];
  readonly #pieces: string[] = [];
  #piece = "";
  #weight = 0;
  #values = 0;
  #chars = 0;

  constructor(textCharsMax: number, isSorted: boolean) {
    this.#textCharsMax = textCharsMax;
    this.#isSorted = isSorted;
  }

  begin(value: unknown): void {
    if (!this.#write(value, "", "")) this.#add("null");
  }

  /** Writes the next item of the innermost open value. Returns false if nothing is open. */
  step(): boolean {
    const last = this.#stack.at(-1);
    if (last === undefined) return false;
    if (last.kind === "array") this.#stepArray(last);
    else this.#stepObject(last);
    return true;
  }

  /** Whether the portion is complete. */
  endPortion(): boolean {
    if (this.#weight < portionWeight) return false;
    this.#weight = 0;
    this.#pieces.push(this.#piece);
    this.#piece = "";
    return true;
  }

  finish(): WrittenValue {
    return { text: [...this.#pieces, this.#piece].join(""), parts: this.#parts };
  }

  #stepArray(array: OpenArray): void {
    if (array.next === array.length) {
      this.#close("]");
      return;
    }
    if (array.next > 0) this.#add(",");
    const index = array.next;
    array.next += 1;
    if (!this.#write(array.items[index], String(index), "")) this.#add("null");
  }

  #stepObject(object: OpenObject): void {
    const key = object.keys[object.next];
    if (key === undefined) {
      this.#close("}");
      return;
    }
    object.next += 1;
    // Object.keys returns strings, with which every object can be read.
    const member = (object.value as Record<string, unknown>)[key];
    const prefix = `${object.isEmpty ? "" : ","}${JSON.stringify(key)}:`;
    if (this.#write(member, key, prefix)) object.isEmpty = false;
  }

  /** Writes or opens a value. Returns false for values that JSON omits. */
  #write(given: unknown, key: string, prefix: string): boolean {
    const value = this.#resolve(given, key);
    this.#count(1);
    if (value === undefined || typeof value === "function" || typeof value === "symbol") {
      return false;
    }
    this.#add(prefix);
    if (value instanceof UnreadBody) this.#addPart(value);
    else if (typeof value === "string") {
      if (value.length > this.#textCharsMax) this.#addPart(value);
      else this.#add(JSON.stringify(value));
    } else if (typeof value === "number")
      this.#add(Number.isFinite(value) ? String(value) : "null");
    else if (typeof value === "boolean" || value === null) this.#add(String(value));
    else if (typeof value === "bigint" || JSON.isRawJSON(value)) this.#add(toRawText(value));
    else this.#open(value);
    return true;
  }

  /** The value that JSON has for this one: what `toJSON` returns, and what is in a box. */
  #resolve(given: unknown, key: string): unknown {
    let value = given;
    for (let asked = 0; typeof value === "object" && value !== null; asked += 1) {
      if (JSON.isRawJSON(value) || value instanceof UnreadBody) break;
      if (this.#stack.length + asked > answerDepthMax) throw toTooDeepValue();
      if (ArrayBuffer.isView(value)) this.#count(value.byteLength);
      if ("toJSON" in value && typeof value.toJSON === "function") value = value.toJSON(key);
      else if (isBoxed(value)) value = value.valueOf();
      else break;
    }
    return value;
  }

  #open(value: object): void {
    if (Array.isArray(value)) {
      const { length } = value;
      if (this.#values + length > answerValuesMax) throw toTooLargeValue();
      this.#add("[");
      this.#stack.push({ kind: "array", items: value, length, next: 0 });
    } else {
      const keys = Object.keys(value);
      if (this.#values + keys.length > answerValuesMax) throw toTooLargeValue();
      if (this.#isSorted && keys.length <= sortedMax) keys.sort();
      this.#add("{");
      this.#stack.push({ kind: "object", value, keys, next: 0, isEmpty: true });
    }
  }

  #close(end: string): void {
    this.#add(end);
    this.#stack.pop();
  }

  #addPart(content: LargePart["content"]): void {
    const path = this.#stack.map((open) =>
      open.kind === "array" ? open.next - 1 : (open.keys[open.next - 1] ?? ""),
    );
    this.#parts.push({ path, content });
    this.#add("null");
  }

  #add(text: string): void {
    this.#piece += text;
    this.#weight += text.length;
    this.#chars += text.length;
    if (this.#chars > smallCharsMax) throw toTooLargeValue();
  }

  #count(many: number): void {
    this.#values += many;
    if (this.#values > answerValuesMax) throw toTooLargeValue();
    this.#weight += many * valueWeight;
  }
}

function toRawText(value: unknown): string {
  return findNumberText(value) ?? "null";
}
