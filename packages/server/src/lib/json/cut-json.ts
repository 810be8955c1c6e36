import { isJsonObject, type Json, toJsonText } from "@hub/connector";

/** One cut: `kept` of `of` items, members or characters at a path. */
export type Cut = { path: string; kept: number; of: number };

/** Shortens a text to at most `bytesMax` bytes of JSON; the caller knows what must not be split. */
export type CutText = (text: string, bytesMax: number) => string;

/** The last index at or before `end` where a list may be cut. */
export type CutList = (items: readonly unknown[], end: number) => number;

/** Bytes reserved for the `_truncated` member. */
export const cutNoteBytes = 768;
/** A member that would get fewer bytes is omitted. */
const usefulBytes = 64;
const cutsMax = 8;
const pathCharsMax = 60;

/** The rest of a cut value, its cuts, and its bytes before. */
export type CutParts = { kept: Json; cuts: readonly Cut[]; bytes: number };

/**
 * Cuts a JSON value structurally (tails of arrays, ends of long strings, last of all members), so
 * that its text has at most `bytesMax` bytes and stays valid JSON. Lists the cuts in a `_truncated`
 * member; a value that is not an object is put under `result` beside it. A value that fits is
 * returned unchanged.
 */
export function cutJson(value: Json, bytesMax: number, cutText: CutText): Json {
  const parts = cutParts(value, bytesMax, cutText);
  return parts === null ? value : writeCuts(parts, bytesMax);
}

/** The same without the note; null for a value that fits. */
export function cutParts(
  value: Json,
  bytesMax: number,
  cutText: CutText,
  cutList: CutList = (_items, end) => end,
): CutParts | null {
  const sizes: Sizes = new Map();
  const bytes = measure(value, sizes);
  if (bytes <= bytesMax) return null;
  const cuts: Cut[] = [];
  const cutter: Cutter = { sizes, cuts, cutText, cutList };
  const kept = cutValue(cutter, value, "", Math.max(bytesMax - cutNoteBytes, 64));
  return { kept, cuts, bytes };
}

/** Adds the note to the rest of the value. */
export function writeCuts({ kept, cuts, bytes }: CutParts, bytesMax: number): Json {
  const note = {
    message: "The result was too large and was cut. Request less data at a time to get the rest.",
    bytes,
    bytes_max: bytesMax,
    cuts: cuts.slice(0, cutsMax),
  };
  return isJsonObject(kept) ? { ...kept, _truncated: note } : { result: kept, _truncated: note };
}

/** Of the objects and long texts of a value. Measuring a text of some MiB again takes long. */
type Sizes = Map<object | string, number>;

type Cutter = {
  sizes: Sizes;
  cuts: Cut[];
  cutText: CutText;
  cutList: CutList;
};

function measure(value: unknown, sizes: Sizes): number {
  const known = findSize(value, sizes);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    let size = 2;
    for (const item of value) size += measure(item, sizes) + 1;
    sizes.set(value, size);
    return size;
  }
  if (isJsonObject(value)) {
    let size = 2;
    // Not Object.entries, which would create an array for each of up to a million members.
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member !== undefined) size += textBytes(key) + measure(member, sizes) + 2;
    }
    sizes.set(value, size);
    return size;
  }
  const size = scalarBytes(value);
  if (isLongText(value)) sizes.set(value, size);
  return size;
}

function sizeOf(cutter: Cutter, value: unknown): number {
  return findSize(value, cutter.sizes) ?? scalarBytes(value);
}

/** A value can contain the same part often: the fields of a step, a long text of its event. */
function findSize(value: unknown, sizes: Sizes): number | undefined {
  const isMeasured = (typeof value === "object" && value !== null) || isLongText(value);
  return isMeasured ? sizes.get(value) : undefined;
}

const longTextChars = 64 * 1024;

function isLongText(value: unknown): value is string {
  return typeof value === "string" && value.length > longTextChars;
}

function scalarBytes(value: unknown): number {
  if (typeof value === "string") return textBytes(value);
  return typeof value === "number" ? String(value).length : toJsonText(value).length;
}

/** Text that JSON writes unchanged, one byte per character: most of a long result. */
const plainText = /^[ !#-[\]-~]*$/;

export function textBytes(text: string): number {
  if (text.length < 100 && plainText.test(text)) return text.length + 2;
  return Buffer.byteLength(JSON.stringify(text));
}

function cutValue(cutter: Cutter, value: unknown, path: string, budget: number): unknown {
  if (sizeOf(cutter, value) <= budget) return value;
  if (typeof value === "string") return cutString(cutter, value, path, budget);
  if (Array.isArray(value)) return cutArray(cutter, value, path, budget);
  if (isJsonObject(value)) return cutObject(cutter, value, path, budget);
  return value;
}

function cutString(cutter: Cutter, text: string, path: string, budget: number): string {
  const kept = cutter.cutText(text, Math.max(budget, 2));
  recordCut(cutter, path, kept.length, text.length);
  return kept;
}

function cutArray(cutter: Cutter, items: unknown[], path: string, budget: number): unknown[] {
  const kept: unknown[] = [];
  let left = budget - 2;
  for (const item of items) {
    const size = sizeOf(cutter, item) + 1;
    if (size > left) break;
    kept.push(item);
    left -= size;
  }
  // If the first item does not fit, it is cut too.
  if (kept.length === 0 && items.length > 0 && left > 16) {
    kept.push(cutValue(cutter, items[0], `${path}[0]`, left - 1));
  }
  if (kept.length < items.length) {
    kept.length = cutter.cutList(items, kept.length);
    recordCut(cutter, path, kept.length, items.length);
  }
  return kept;
}

function cutObject(
  cutter: Cutter,
  value: Record<string, unknown>,
  path: string,
  budget: number,
): Record<string, unknown> {
  const { members, needs, count } = takeUsefulMembers(cutter, value, budget - 2);
  const shares = shareOut(needs, budget - 2);
  const kept: Array<[string, unknown]> = [];
  members.forEach(([key, member], index) => {
    const bytesLeft = (shares[index] ?? 0) - textBytes(key) - 2;
    if (bytesLeft < Math.min(sizeOf(cutter, member), 2)) return;
    const part = cutValue(cutter, member, path === "" ? key : `${path}.${key}`, bytesLeft);
    // Values that cannot be cut, such as numbers, are kept or omitted.
    if (typeof part === "object" || typeof part === "string" || sizeOf(cutter, part) <= bytesLeft) {
      kept.push([key, part]);
    }
  });
  if (kept.length < count) recordCut(cutter, path, kept.length, count);
  // fromEntries defines members, so a "__proto__" key is an ordinary key.
  return Object.fromEntries(kept);
}

type Members = { members: Array<[string, unknown]>; needs: number[]; count: number };

/**
 * The first members that can each get a useful share. `count` is the number of all members.
 */
function takeUsefulMembers(
  cutter: Cutter,
  value: Record<string, unknown>,
  budget: number,
): Members {
  const members: Members["members"] = [];
  const needs: number[] = [];
  let count = 0;
  let left = budget;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    count += 1;
    if (left < 0) continue;
    const need = textBytes(key) + 2 + sizeOf(cutter, member);
    left -= Math.min(need, usefulBytes);
    if (left < 0) continue;
    members.push([key, member]);
    needs.push(need);
  }
  return { members, needs, count };
}

/** Small members are kept in full; the large ones share the rest evenly. */
function shareOut(needs: number[], budget: number): number[] {
  const order = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  const shares = new Array<number>(needs.length).fill(0);
  let left = Math.max(budget, 0);
  order.forEach(({ need, index }, place) => {
    const share = Math.min(need, Math.floor(left / (order.length - place)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}

function recordCut(cutter: Cutter, path: string, kept: number, of: number): void {
  if (cutter.cuts.length >= cutsMax) return;
  cutter.cuts.push({ path: path === "" ? "$" : path.slice(0, pathCharsMax), kept, of });
}

/** Cuts between characters so that the text's JSON has at most `bytesMax` bytes. */
export function cutTextAtCharacter(text: string, bytesMax: number): string {
  if (text.length <= bytesMax && textBytes(text) <= bytesMax) return text;
  let bytes = 2;
  let end = 0;
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0;
    bytes += characterBytes(code);
    if (bytes > bytesMax) break;
    end += code > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The bytes of a character within JSON text. */
function characterBytes(code: number): number {
  if (code < 0x20) return shortEscapes.has(code) ? 2 : 6;
  if (code < 0x80) return code === 0x22 || code === 0x5c ? 2 : 1;
  if (code < 0x800) return 2;
  // JSON escapes a lone surrogate.
  if (code >= 0xd800 && code <= 0xdfff) return 6;
  return code > 0xffff ? 4 : 3;
}

const shortEscapes: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);
