import { findNumberText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";

/** Functions for the parts of a JSON value. A part without a function does not change. */
export type JsonMapper = {
  mapText(text: string): string;
  mapKey?: (key: string) => string;
  /** Receives a number of any type, and its digits. */
  mapNumber?: (value: unknown, digits: string) => unknown;
  /**
   * Receives consecutive numbers of an array that may be the bytes of a text, such as a Buffer.
   * Returns the replacement, or null for no change.
   */
  mapBytes?: (bytes: readonly number[]) => unknown[] | null;
  /** The same for consecutive texts of one character each. */
  mapCharacters?: (characters: readonly string[]) => unknown[] | null;
};

/** Fewer bytes are too short to search. */
const bytesMin = 4;

/** Deeper than any real value, and shallow enough for recursion. */
const depthMax = 512;

/**
 * Maps the strings, keys and numbers of a JSON value. Unchanged parts keep their identity. Throws
 * `upstream_error` for a cyclic or too deeply nested value.
 */
export function mapJson(value: unknown, mapper: JsonMapper): unknown {
  return mapValue(value, mapper, 0);
}

function mapValue(value: unknown, mapper: JsonMapper, depth: number): unknown {
  if (typeof value === "string") return mapper.mapText(value);
  if (typeof value === "number" || typeof value === "bigint") return mapNumber(value, mapper);
  if (typeof value !== "object" || value === null) return value;
  if (JSON.isRawJSON(value)) return mapRawJson(value, mapper);
  if (depth >= depthMax) {
    throw new HubError(
      "upstream_error",
      `A value is cyclic or nested deeper than ${depthMax} levels, so it cannot be searched for secrets. The connector must return plain data.`,
    );
  }
  if (Array.isArray(value)) return mapArray(value, mapper, depth);
  // The JSON of such objects is known only when they are written, so they are converted now and
  // cannot change later.
  if (value instanceof String) return mapper.mapText(value.valueOf());
  if (value instanceof Number) return mapNumber(value.valueOf(), mapper);
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return mapValue(toPlainJson(value), mapper, depth + 1);
  }
  return mapObject(value, mapper, depth);
}

function mapNumber(value: number | bigint, mapper: JsonMapper): unknown {
  // NaN and the infinities are written as null.
  if (mapper.mapNumber === undefined) return value;
  if (typeof value === "number" && !Number.isFinite(value)) return value;
  return mapper.mapNumber(value, String(value));
}

/** Raw JSON may be any scalar, also a string. */
function mapRawJson(value: object, mapper: JsonMapper): unknown {
  const digits = findNumberText(value) ?? "";
  if (digits.startsWith('"')) {
    const text = String(JSON.parse(digits));
    const mapped = mapper.mapText(text);
    return mapped === text ? value : mapped;
  }
  return /^[-\d]/.test(digits) ? (mapper.mapNumber?.(value, digits) ?? value) : value;
}

function mapArray(items: readonly unknown[], mapper: JsonMapper, depth: number): unknown {
  let copy: unknown[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const run = mapper.mapBytes === undefined ? 0 : countBytes(items, index);
    if (run >= bytesMin) {
      // Safe: `countBytes` has checked that these are numbers.
      const mapped = mapRun(items.slice(index, index + run) as number[], mapper);
      if (mapped !== null) copy ??= items.slice(0, index);
      for (const part of mapped ?? items.slice(index, index + run)) copy?.push(part);
      index += run - 1;
      continue;
    }
    const characters = mapper.mapCharacters === undefined ? 0 : countCharacters(items, index);
    if (characters >= bytesMin) {
      // Safe: `countCharacters` has checked that these are texts.
      const part = items.slice(index, index + characters) as string[];
      const mapped = mapper.mapCharacters?.(part) ?? null;
      if (mapped !== null) copy ??= items.slice(0, index);
      for (const one of mapped ?? part) copy?.push(one);
      index += characters - 1;
      continue;
    }
    const mapped = mapValue(items[index], mapper, depth + 1);
    if (copy === null && Object.is(mapped, items[index])) continue;
    copy ??= items.slice(0, index);
    copy.push(mapped);
  }
  return copy ?? items;
}

/** The number of consecutive integers from 0 to 255 from this index on. */
function countBytes(items: readonly unknown[], start: number): number {
  let end = start;
  while (isByte(items[end])) end += 1;
  return end - start;
}

/** The number of consecutive texts of one character from this index on. */
function countCharacters(items: readonly unknown[], start: number): number {
  let end = start;
  for (let item = items[end]; typeof item === "string" && item.length === 1; item = items[end]) {
    end += 1;
  }
  return end - start;
}

function isByte(item: unknown): boolean {
  return typeof item === "number" && item >= 0 && item <= 255 && Number.isInteger(item);
}

/**
 * Maps consecutive numbers first as bytes, then the remaining ones as numbers. Returns null if
 * nothing changed.
 */
function mapRun(run: readonly number[], mapper: JsonMapper): unknown[] | null {
  const mapped = mapper.mapBytes?.(run) ?? run;
  let isChanged = mapped !== run;
  const parts = mapped.map((part) => {
    const number = typeof part === "number" ? mapNumber(part, mapper) : part;
    isChanged ||= !Object.is(number, part);
    return number;
  });
  return isChanged ? parts : null;
}

function mapObject(value: object, mapper: JsonMapper, depth: number): unknown {
  const entries = Object.entries(value);
  let copy: Map<string, unknown> | null = null;
  let suffixes: Map<string, number> | null = null;
  let index = -1;
  for (const [key, member] of entries) {
    index += 1;
    const mappedKey = mapper.mapKey?.(key) ?? key;
    const mapped = mapValue(member, mapper, depth + 1);
    if (copy === null && mappedKey === key && Object.is(mapped, member)) continue;
    copy ??= new Map(entries.slice(0, index));
    const taken = copy;
    const isFree = (name: string) => !(Object.hasOwn(value, name) || taken.has(name));
    suffixes ??= new Map();
    copy.set(mappedKey === key ? key : findFreeKey(mappedKey, suffixes, isFree), mapped);
  }
  // `fromEntries` defines members, so a "__proto__" key stays a normal key.
  return copy === null ? value : Object.fromEntries(copy);
}

/**
 * If two keys become equal, the second gets a suffix, so that no member is lost. `suffixes` has the last suffix of each
 * key. Attack: a secret has so many encodings that thousands of keys become equal.
 */
function findFreeKey(
  key: string,
  suffixes: Map<string, number>,
  isFree: (name: string) => boolean,
): string {
  let suffix = suffixes.get(key) ?? 1;
  let free = suffix === 1 ? key : `${key}-${suffix}`;
  while (!isFree(free)) {
    suffix += 1;
    free = `${key}-${suffix}`;
  }
  suffixes.set(key, suffix);
  return free;
}
