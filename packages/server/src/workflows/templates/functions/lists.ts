import { listKeys, listSortedKeys } from "../render/map-keys.ts";
import { chargeChars, chargeSteps, fail, type RenderContext } from "../render/render-context.ts";
import { isMap, nameKind, readMember, toInteger, type Value } from "../render/template-values.ts";
import { anyNumber, type TemplateFunction } from "./define-function.ts";
import { refuseTokens } from "./take-argument.ts";

export const listFunctions = {
  len: { args: [1, 1], call: (ctx, [value]) => countItems(ctx, value) },
  index: {
    args: [1, anyNumber],
    call: (ctx, [value, ...keys]) => keys.reduce((from, key) => readItem(ctx, from, key), value),
  },
  slice: { args: [1, 4], call: (ctx, [value, ...bounds]) => slice(ctx, value, bounds) },
  first: { args: [1, 1], call: (ctx, [value]) => takeList(ctx, "first", value)[0] },
  last: { args: [1, 1], call: (ctx, [value]) => takeList(ctx, "last", value).at(-1) },
  keys: {
    args: [1, 1],
    call: (ctx, [value]) => {
      if (!isMap(value)) throw wrongKind(ctx, "keys", "an object", value);
      return listSortedKeys(ctx, value);
    },
  },
} satisfies Record<string, TemplateFunction>;

/** A list; null and a missing value count as an empty one. */
function takeList(ctx: RenderContext, name: string, value: Value): readonly Value[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw wrongKind(ctx, name, "a list", value);
}

function countItems(ctx: RenderContext, value: Value): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "string") return toCharacters(ctx, "len", value).count;
  if (isMap(value)) return listKeys(ctx, value).length;
  throw wrongKind(ctx, "len", "text, a list or an object", value);
}

function readItem(ctx: RenderContext, from: Value, key: Value): Value {
  if (isMap(from)) {
    if (typeof key === "string") return readMember(from, key);
    throw fail(ctx, `"index" reads an object by text, and this is ${nameKind(key)}.`);
  }
  if (!Array.isArray(from) && typeof from !== "string") {
    throw wrongKind(ctx, "index", "a list, an object or text", from);
  }
  const at = toInteger(key);
  if (at === null)
    throw fail(ctx, `"index" reads by a whole number, and this is ${nameKind(key)}.`);
  const length = Array.isArray(from) ? from.length : toCharacters(ctx, "index", from).count;
  if (at < 0n || at >= BigInt(length)) {
    throw fail(ctx, `"index" has no item ${at}: there are ${length}, counted from 0.`);
  }
  if (Array.isArray(from)) return from[Number(at)];
  return toCharacters(ctx, "index", from)
    .slice(Number(at), Number(at) + 1)
    .codePointAt(0);
}

function slice(ctx: RenderContext, value: Value, bounds: readonly Value[]): Value {
  if (!Array.isArray(value) && typeof value !== "string") {
    throw wrongKind(ctx, "slice", "text or a list", value);
  }
  const characters = typeof value === "string" ? toCharacters(ctx, "slice", value) : null;
  if (characters !== null && bounds.length > 2) {
    throw fail(ctx, '"slice" of text has two bounds at most.');
  }
  const length = characters?.count ?? value.length;
  const [start = 0, end = length, capacity = length] = bounds.map((bound) => {
    const at = toInteger(bound);
    if (at !== null && at >= 0n && at <= BigInt(length)) return Number(at);
    if (at === null) throw fail(ctx, `A bound of "slice" is ${nameKind(bound)}.`);
    throw fail(ctx, `"slice" has the bound ${at}, and there are ${length} items.`);
  });
  if (start > end || end > capacity) {
    throw fail(ctx, `The bounds of "slice" are in the wrong order.`);
  }
  if (characters !== null) return characters.slice(start, end);
  chargeSteps(ctx, end - start);
  return value.slice(start, end);
}

/** Text by characters, which are code points: JSON has no bytes. */
function toCharacters(ctx: RenderContext, name: string, text: string) {
  chargeChars(ctx, text.length);
  refuseTokens(ctx, name, text);
  const count = countCharacters(text);
  return {
    count,
    slice: (start: number, end: number): string => {
      if (count === text.length) return text.slice(start, end);
      const from = findCharacter(text, 0, start);
      return text.slice(from, findCharacter(text, from, end - start));
    },
  };
}

export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isPair(text, at)) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** The index in UTF-16 code units of the character `ahead` characters behind `from`. */
export function findCharacter(text: string, from: number, ahead: number): number {
  let at = from;
  for (let left = ahead; left > 0 && at < text.length; left -= 1) at += isPair(text, at) ? 2 : 1;
  return at;
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

function wrongKind(ctx: RenderContext, name: string, wanted: string, value: Value): Error {
  return fail(ctx, `"${name}" needs ${wanted}, and this is ${nameKind(value)}.`);
}
