import { findNumberText } from "@hub/connector";
import { answerDepthMax, answerValuesMax } from "./answer-limits.ts";
import { isBoxed, toTooDeepValue, toTooLargeValue } from "./plain-json.ts";
import { UnreadBody } from "./unread-body.ts";

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
  const writer = createWriter(textCharsMax, isSorted);
  writer.write(value, "");
  while (writer.step()) {
    if (writer.endPortion()) await yieldToEventLoop();
  }
  return writer.finish();
}

/** An open array or object; `next` is the index of its next item or key. */
type Open =
  | { kind: "array"; items: readonly unknown[]; length: number; next: number }
  | { kind: "object"; value: object; keys: string[]; next: number; isEmpty: boolean };

function createWriter(textCharsMax: number, isSorted: boolean) {
  const stack: Open[] = [];
  const parts: LargePart[] = [];
  const pieces: string[] = [];
  let piece = "";
  let weight = 0;
  let values = 0;
  let chars = 0;

  function count(many: number): void {
    values += many;
    if (values > answerValuesMax) throw toTooLargeValue();
    weight += many * valueWeight;
  }

  function add(text: string): void {
    piece += text;
    weight += text.length;
    chars += text.length;
    if (chars > smallCharsMax) throw toTooLargeValue();
  }

  function addPart(content: LargePart["content"]): void {
    const path = stack.map((open) =>
      open.kind === "array" ? open.next - 1 : (open.keys[open.next - 1] ?? ""),
    );
    parts.push({ path, content });
    add("null");
  }

  /** Writes or opens a value. Returns false for values that JSON omits. */
  function write(given: unknown, key: string, prefix = ""): boolean {
    let value = given;
    for (let asked = 0; typeof value === "object" && value !== null; asked += 1) {
      if (JSON.isRawJSON(value) || value instanceof UnreadBody) break;
      if (stack.length + asked > answerDepthMax) throw toTooDeepValue();
      if (ArrayBuffer.isView(value)) count(value.byteLength);
      if ("toJSON" in value && typeof value.toJSON === "function") value = value.toJSON(key);
      else if (isBoxed(value)) value = value.valueOf();
      else break;
    }
    count(1);
    if (value === undefined || typeof value === "function" || typeof value === "symbol") {
      return false;
    }
    add(prefix);
    if (value instanceof UnreadBody) addPart(value);
    else if (typeof value === "string") {
      if (value.length > textCharsMax) addPart(value);
      else add(JSON.stringify(value));
    } else if (typeof value === "number") add(Number.isFinite(value) ? String(value) : "null");
    else if (typeof value === "boolean" || value === null) add(String(value));
    else if (typeof value === "bigint" || JSON.isRawJSON(value)) add(toRawText(value));
    else open(value);
    return true;
  }

  function open(value: object): void {
    if (Array.isArray(value)) {
      const { length } = value;
      if (values + length > answerValuesMax) throw toTooLargeValue();
      add("[");
      stack.push({ kind: "array", items: value, length, next: 0 });
    } else {
      const keys = Object.keys(value);
      if (values + keys.length > answerValuesMax) throw toTooLargeValue();
      if (isSorted && keys.length <= sortedMax) keys.sort();
      add("{");
      stack.push({ kind: "object", value, keys, next: 0, isEmpty: true });
    }
  }

  /** Writes the next item of the innermost open value. Returns false if nothing is open. */
  function step(): boolean {
    const last = stack.at(-1);
    if (last === undefined) return false;
    if (last.kind === "array") {
      if (last.next === last.length) close("]");
      else {
        if (last.next > 0) add(",");
        last.next += 1;
        if (!write(last.items[last.next - 1], String(last.next - 1))) add("null");
      }
      return true;
    }
    const key = last.keys[last.next];
    if (key === undefined) {
      close("}");
      return true;
    }
    last.next += 1;
    // Object.keys returns strings, with which every object can be read.
    const member = (last.value as Record<string, unknown>)[key];
    const prefix = `${last.isEmpty ? "" : ","}${JSON.stringify(key)}:`;
    if (write(member, key, prefix)) last.isEmpty = false;
    return true;
  }

  function close(end: string): void {
    add(end);
    stack.pop();
  }

  return {
    write(value: unknown, key: string): void {
      if (!write(value, key)) add("null");
    },
    step,
    /** Whether the portion is complete. */
    endPortion(): boolean {
      if (weight < portionWeight) return false;
      weight = 0;
      pieces.push(piece);
      piece = "";
      return true;
    },
    finish: (): WrittenValue => ({ text: [...pieces, piece].join(""), parts }),
  };
}

function toRawText(value: unknown): string {
  return findNumberText(value) ?? "null";
}
