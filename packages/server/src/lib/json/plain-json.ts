import type { Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { answerDepthMax, loopBytesMax, loopValuesMax } from "../limits/answer-limits.ts";
import { UnreadBody } from "../streams/unread-body.ts";
import type { CutList, CutText } from "./cut-json.ts";

/** The result of `findPlainJson` for a value that must be written in portions. */
export const tooLargeValue = Symbol("too large");

/**
 * A plain copy of a value, as JSON.stringify would write it. Getters, proxies and `toJSON` are called
 * once, here, so that masks and client see the same text. Throws `upstream_error` for values that are
 * cyclic, nested deeper than 256, or larger than 256 KiB or 16,000 values.
 */
export function toPlainJson(value: unknown): Json {
  const plain = findPlainJson(value);
  if (plain === tooLargeValue) throw toTooLargeValue();
  return plain;
}

/** The same, but returns `tooLargeValue` for a value that would block the event loop. */
export function findPlainJson(value: unknown): Json | typeof tooLargeValue {
  try {
    return toPlain(value, "", 0, { left: loopBytesMax, cuts: null }) ?? null;
  } catch (thrown) {
    if (thrown === excess) return tooLargeValue;
    throw thrown;
  }
}

/** Decides where texts and lists may be cut. */
export type Cuts = { cutText: CutText; cutList: CutList };

/** The first `bytesMax` bytes of a value as plain data. */
export function toPlainBeginning(value: unknown, bytesMax: number, cuts: Cuts): Json {
  return toPlain(value, "", 0, { left: bytesMax, cuts }) ?? null;
}

export function toTooLargeValue(): HubError {
  return new HubError(
    "upstream_error",
    "The operation's result is so large that no part of it can be shown. Request less data at a time.",
  );
}

export function toTooDeepValue(): HubError {
  return new HubError(
    "upstream_error",
    "The operation's result is cyclic or nested too deeply for JSON. The connector must return plain data. Report this to the connector's author.",
  );
}

/** Thrown and caught within this file. */
const excess = Symbol("excess");

/** The cost of one value in characters, in addition to its own. */
const valueBytes = Math.ceil(loopBytesMax / loopValuesMax);

/** The remaining budget. Shared parts count each time, because they are written each time. */
type Allowance = {
  left: number;
  /** Null if a larger value is refused instead of cut. */
  cuts: Cuts | null;
};

function toPlain(value: unknown, key: string, depth: number, allowance: Allowance): unknown {
  if (typeof value === "string") return toPlainText(value, allowance);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint" || JSON.isRawJSON(value)) return value;
  if (typeof value !== "object") return undefined;
  if (value instanceof UnreadBody) return omit(value.bytes.length, allowance);
  if (depth > answerDepthMax) throw toTooDeepValue();
  // Before a Buffer's toJSON converts it to an array.
  if (ArrayBuffer.isView(value) && value.byteLength * valueBytes > allowance.left) {
    return omit(value.byteLength, allowance);
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
  // First, because an array may be long and empty.
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
    // Object.keys returns strings, with which every object can be read.
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

function omit(bytes: number, { cuts }: Allowance): object {
  if (cuts === null) throw excess;
  return { left_out: "The value is too long to show.", bytes };
}

function weigh(bytes: number, allowance: Allowance): void {
  allowance.left -= bytes;
  if (allowance.left < 0 && allowance.cuts === null) throw excess;
}
