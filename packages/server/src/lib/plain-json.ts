import type { Json } from "@hub/connector";
import { HubError } from "../errors.ts";
import { answerDepthMax, loopBytesMax, loopValuesMax } from "./answer-limits.ts";
import type { CutList, CutText } from "./cut-json.ts";
import { UnreadBody } from "./unread-body.ts";

/** What `findPlainJson` gives for a value that has to be written in portions. */
export const tooLargeValue = Symbol("too large");

/**
 * What JSON.stringify would write for a value, as plain data of its own: getters, proxies and
 * `toJSON` are asked here, once, so that nothing can show masks one text and the client another,
 * and nothing changes afterwards. Throws `upstream_error` for what is cyclic, nested deeper than
 * 256, or larger than 256 KiB or 16,000 values.
 */
export function toPlainJson(value: unknown): Json {
  const plain = findPlainJson(value);
  if (plain === tooLargeValue) throw toTooLargeValue();
  return plain;
}

/** The same, but `tooLargeValue` for a value whose walk would keep the event loop busy. */
export function findPlainJson(value: unknown): Json | typeof tooLargeValue {
  try {
    return toPlain(value, "", 0, { left: loopBytesMax, cuts: null }) ?? null;
  } catch (thrown) {
    if (thrown === excess) return tooLargeValue;
    throw thrown;
  }
}

/** What knows where texts and lists must not be cut. */
export type Cuts = { cutText: CutText; cutList: CutList };

/** The beginning of a value as plain data: what comes after so many bytes is left out. */
export function toPlainBeginning(value: unknown, bytesMax: number, cuts: Cuts): Json {
  return toPlain(value, "", 0, { left: bytesMax, cuts }) ?? null;
}

export function toTooLargeValue(): HubError {
  return new HubError(
    "upstream_error",
    "The operation's result is so large that not even a part of it can be shown. Ask for less at a time.",
  );
}

export function toTooDeepValue(): HubError {
  return new HubError(
    "upstream_error",
    "The operation's result is cyclic or nested too deeply to be written as JSON; its connector has to return plain data.",
  );
}

/** Thrown and caught within a walk. */
const excess = Symbol("excess");

/** What one value costs beside its characters, in characters. */
const valueBytes = Math.ceil(loopBytesMax / loopValuesMax);

/** What may still come. Shared parts count wherever they are: they are written there, too. */
type Allowance = {
  left: number;
  /** Null where a value that takes more is refused instead of cut. */
  cuts: Cuts | null;
};

function toPlain(value: unknown, key: string, depth: number, allowance: Allowance): unknown {
  if (typeof value === "string") return toPlainText(value, allowance);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint" || JSON.isRawJSON(value)) return value;
  if (typeof value !== "object") return undefined;
  if (value instanceof UnreadBody) return leaveOut(value.bytes.length, allowance);
  if (depth > answerDepthMax) throw toTooDeepValue();
  // Before a Buffer's toJSON makes an array of it.
  if (ArrayBuffer.isView(value) && value.byteLength * valueBytes > allowance.left) {
    return leaveOut(value.byteLength, allowance);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return toPlain(value.toJSON(key), key, depth + 1, allowance);
  }
  if (Array.isArray(value)) return toPlainArray(value, depth, allowance);
  if (isBoxed(value)) return toPlain(value.valueOf(), key, depth + 1, allowance);
  return toPlainObject(value, depth, allowance);
}

export function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean;
}

function toPlainArray(items: readonly unknown[], depth: number, allowance: Allowance): unknown[] {
  const { length } = items;
  // Before the walk: an array may be long and hold nothing.
  if (allowance.cuts === null && length * valueBytes > allowance.left) throw excess;
  const plain: unknown[] = [];
  for (let index = 0; index < length && allowance.left >= valueBytes; index += 1) {
    weigh(valueBytes, allowance);
    plain.push(toPlain(items[index], String(index), depth + 1, allowance) ?? null);
  }
  if (plain.length < length && allowance.cuts !== null) {
    plain.length = allowance.cuts.cutList(items, plain.length);
  }
  return plain;
}

function toPlainObject(value: object, depth: number, allowance: Allowance): object {
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    weigh(key.length + valueBytes, allowance);
    if (allowance.left < 0) break;
    // Object.keys lists strings only, and any object may be read by one.
    const member = toPlain((value as Record<string, unknown>)[key], key, depth + 1, allowance);
    if (member === undefined) continue;
    if (key === "__proto__") defineMember(plain, key, member);
    else plain[key] = member;
  }
  return plain;
}

/** Assigning to `__proto__` would set a prototype. */
function defineMember(plain: object, key: string, value: unknown): void {
  Object.defineProperty(plain, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

function toPlainText(text: string, allowance: Allowance): string {
  const { left, cuts } = allowance;
  weigh(text.length, allowance);
  return allowance.left >= 0 || cuts === null ? text : cuts.cutText(text, Math.max(left, 2));
}

function leaveOut(bytes: number, { cuts }: Allowance): object {
  if (cuts === null) throw excess;
  return { left_out: "It is too long to show.", bytes };
}

function weigh(bytes: number, allowance: Allowance): void {
  allowance.left -= bytes;
  if (allowance.left < 0 && allowance.cuts === null) throw excess;
}
