import type { Json } from "@hub/connector";
import { HubError } from "../errors.ts";

/** Deeper than any honest result, and shallow enough for every walk over it. */
const depthMax = 256;
/** What one value takes beside its characters, in memory and in time. */
const valueWeight = 32;
/** About 128 MiB of text or four million values: a walk over more would hold up everybody else. */
const weightMax = 128 * 1024 * 1024;

/**
 * What JSON.stringify would write for a value, as plain data of its own: getters, proxies and
 * `toJSON` are asked here, once, so that nothing can show masks one text and the client another,
 * and nothing changes afterwards. Throws `upstream_error` for what is cyclic, nested deeper than
 * 256, or so large that it could not even be cut: beyond several times the bytes that are wanted.
 */
export function toPlainJson(value: unknown, bytesWanted = 0): Json {
  return toPlain(value, "", 0, { left: Math.max(weightMax, bytesWanted * 4) }) ?? null;
}

/** What may still come. Shared parts count wherever they are: they are written there, too. */
type Allowance = { left: number };

function toPlain(value: unknown, key: string, depth: number, allowance: Allowance): unknown {
  if (typeof value === "string") return weighText(value, allowance);
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint" || JSON.isRawJSON(value)) return value;
  if (typeof value !== "object") return undefined;
  if (depth > depthMax) {
    throw new HubError(
      "upstream_error",
      "The operation's result is cyclic or nested too deeply to be written as JSON; its connector has to return plain data.",
    );
  }
  // Before a Buffer's toJSON makes an array of it.
  if (ArrayBuffer.isView(value)) weigh(value.byteLength * valueWeight, allowance);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return toPlain(value.toJSON(key), key, depth + 1, allowance);
  }
  if (Array.isArray(value)) return toPlainArray(value, depth, allowance);
  if (isBoxed(value)) return toPlain(value.valueOf(), key, depth + 1, allowance);
  return toPlainObject(value, depth, allowance);
}

function isBoxed(value: object): boolean {
  return value instanceof String || value instanceof Number || value instanceof Boolean;
}

function toPlainArray(items: readonly unknown[], depth: number, allowance: Allowance): unknown[] {
  const { length } = items;
  // Before the walk: an array may be long and hold nothing.
  weigh(length * valueWeight, allowance);
  const plain: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    plain.push(toPlain(items[index], String(index), depth + 1, allowance) ?? null);
  }
  return plain;
}

function toPlainObject(value: object, depth: number, allowance: Allowance): object {
  const keys = Object.keys(value);
  weigh(keys.length * valueWeight, allowance);
  const plain: Record<string, unknown> = {};
  for (const key of keys) {
    weighText(key, allowance);
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

function weighText(text: string, allowance: Allowance): string {
  weigh(text.length, allowance);
  return text;
}

function weigh(weight: number, allowance: Allowance): void {
  allowance.left -= weight;
  if (allowance.left >= 0) return;
  throw new HubError(
    "upstream_error",
    "The operation's result is so large that not even a part of it can be shown. Ask for less at a time.",
  );
}
