import type { Json } from "@hub/connector";
import { HubError } from "../errors.ts";

/** Deeper than any honest result, and shallow enough for every walk over it. */
const depthMax = 256;

/**
 * What JSON.stringify would write for a value, as plain data: `toJSON` is called here, once, so
 * that nothing can show masks one text and the client another. Plain parts keep their identity.
 * Throws `upstream_error` for cyclic values and for nesting deeper than 256.
 */
export function toPlainJson(value: unknown): Json {
  return toPlain(value, "", 0) ?? null;
}

function toPlain(value: unknown, key: string, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint" || JSON.isRawJSON(value)) return value;
  if (typeof value !== "object") return undefined;
  if (depth > depthMax) {
    throw new HubError(
      "upstream_error",
      "The operation's result is cyclic or nested too deeply to be written as JSON; its connector has to return plain data.",
    );
  }
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return toPlain(value.toJSON(key), key, depth + 1);
  }
  return Array.isArray(value) ? toPlainArray(value, depth) : toPlainObject(value, depth);
}

function toPlainArray(items: unknown[], depth: number): unknown[] {
  let changed: unknown[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const plain = toPlain(items[index], String(index), depth + 1) ?? null;
    if (plain === items[index]) continue;
    changed ??= items.slice();
    changed[index] = plain;
  }
  return changed ?? items;
}

function toPlainObject(value: object, depth: number): object {
  let isSame = true;
  const members: Array<[string, unknown]> = [];
  for (const [key, member] of Object.entries(value)) {
    const plain = toPlain(member, key, depth + 1);
    if (plain !== member) isSame = false;
    if (plain !== undefined) members.push([key, plain]);
  }
  // fromEntries defines members, so that a "__proto__" key stays a plain key.
  return isSame ? value : Object.fromEntries(members);
}
