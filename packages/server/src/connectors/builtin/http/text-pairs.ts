import { findNumberText, parseJson } from "@hub/connector";
import { isNestedWithin } from "../../../lib/json/check-nesting.ts";
import { refuseParam } from "./refuse.ts";

type Pair = [name: string, value: string];

/** Limits for the number of pairs in a param and the characters of their names and values. */
export type PairLimits = { pairsMax: number; charsMax: number };

/** Pairs are nested two levels deep; text that is nested deeper is not parsed. */
const nestingMax = 8;

/**
 * Parses names and values from an object, its JSON as text, or `a=1&b=2`. An array repeats its name;
 * null is omitted. Linear in the input; input beyond the limits is refused before pairs are built.
 */
export function readPairs(param: string, raw: unknown, limits: PairLimits): Pair[] {
  const value = typeof raw === "string" ? splitPairs(param, raw, limits) : raw;
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value) || JSON.isRawJSON(value)) {
    return refuseShape(param);
  }
  const members = Object.entries(value);
  checkCount(param, countPairs(members), limits);
  const budget = { charsLeft: limits.charsMax };
  const pairs: Pair[] = [];
  for (const [name, member] of members) {
    for (const item of Array.isArray(member) ? member : [member]) {
      if (item === null) continue;
      const text = toText(param, item);
      spend(param, name.length + text.length, budget, limits);
      pairs.push([name, text]);
    }
  }
  return pairs;
}

/**
 * Parses text of pairs to an object: each name has one value or an array of values. Value tokens in
 * them are not opened.
 */
export function splitPairs(param: string, text: string, limits: PairLimits): unknown {
  spend(param, text.length, { charsLeft: limits.charsMax }, limits);
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) return parseObject(param, trimmed);
  // Counted first: a separator has one character, but a pair takes a hundred bytes of memory.
  checkCount(param, countSeparators(trimmed) + 1, limits);
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(trimmed)) {
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return Object.fromEntries(values);
}

function parseObject(param: string, text: string): unknown {
  if (!isNestedWithin(text, nestingMax)) return refuseShape(param);
  try {
    return parseJson(text);
  } catch {
    return refuseShape(param);
  }
}

function countPairs(members: [string, unknown][]): number {
  let count = 0;
  for (const [, member] of members) count += Array.isArray(member) ? member.length : 1;
  return count;
}

function countSeparators(text: string): number {
  let count = 0;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) count += 1;
  return count;
}

function checkCount(param: string, count: number, { pairsMax }: PairLimits): void {
  if (count <= pairsMax) return;
  refuseParam(param, `has ${count} names and values; at most ${pairsMax} are allowed`);
}

function spend(param: string, chars: number, budget: { charsLeft: number }, limits: PairLimits) {
  budget.charsLeft -= chars;
  if (budget.charsLeft >= 0) return;
  refuseParam(param, `is too long; at most ${limits.charsMax} characters are allowed`);
}

function toText(param: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const digits = findNumberText(value);
  return (
    digits ??
    refuseParam(param, "must be an object of texts, numbers, true, false or arrays of these")
  );
}

function refuseShape(param: string): never {
  return refuseParam(param, 'must be an object such as {"name": "value"}');
}
