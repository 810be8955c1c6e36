import { findNumberText, InvalidInputError, isJsonObject, toJsonText } from "@hub/connector";

/** A list of names and values, such as the members of an object. */
export type Pairs = [name: string, value: string][];

/** The text of a value that is neither a list nor an object. An object within a list is JSON. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "";
  return findNumberText(value) ?? toJsonText(value);
}

/** Escapes a text for a path or a query. Half of a surrogate pair becomes U+FFFD, as in JSON that the hub sends. */
export function escapeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Values beyond this would not fit into a request. */
export const pairsMax = 10_000;

/**
 * A name is sent again with each of its values. Attack: with a name of 3 MB and a list of 10,000 items, a call of 4 MB
 * would become a request of 30 GB.
 */
const charsMax = 8 * 1024 * 1024;

/** Checks the characters of all names and values that a request writes, before they are written. */
export function checkChars(input: string, chars: number): void {
  if (chars <= charsMax) return;
  throw new InvalidInputError(
    input,
    `would become more than ${charsMax} characters, because each name is sent again with each of its values; send shorter names or fewer values`,
  );
}

/** The members of an object as texts. Those without a value are left out. */
export function toPairs(value: Record<string, unknown>): Pairs {
  return Object.entries(value).flatMap(
    ([name, member]): Pairs =>
      member === undefined || member === null ? [] : [[name, toText(member)]],
  );
}

/**
 * The members of a value at every depth, with names such as `filter[price][gte]`. A list has its
 * numbers as names. Throws InvalidInputError if there are too many.
 */
export function toDeepPairs(input: string, name: string, value: unknown): Pairs {
  const pairs: Pairs = [];
  let chars = 0;
  function add(place: string, member: unknown): void {
    if (member === undefined || member === null) return;
    if (Array.isArray(member)) {
      for (const [index, item] of member.entries()) add(`${place}[${index}]`, item);
    } else if (isJsonObject(member)) {
      for (const [key, item] of Object.entries(member)) add(`${place}[${key}]`, item);
    } else {
      const text = toText(member);
      pairs.push([place, text]);
      checkCount(input, pairs.length);
      chars += place.length + text.length;
      checkChars(input, chars);
    }
  }
  add(name, value);
  return pairs;
}

export function checkCount(input: string, count: number): void {
  if (count <= pairsMax) return;
  throw new InvalidInputError(input, `has more than ${pairsMax} values`);
}
