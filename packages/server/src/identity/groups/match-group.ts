import { findText } from "@hub/connector";

/** What a line says of a group's name: the whole name, or a pattern in which `*` stands for any characters. */
export type GroupPattern = { pattern: string; isPattern: boolean };

/**
 * What the only `*` of a pattern stands for in a name; "" for an exact name and for several stars. Null if
 * the name does not match. Its time is linear in the name for each star: each part is searched for once, from
 * where the part before it ended.
 */
export function matchGroup(line: GroupPattern, name: string): string | null {
  const { pattern, isPattern } = line;
  const parts = isPattern ? splitOnce(line) : null;
  if (parts === null) return pattern === name ? "" : null;
  const { first, others, last } = parts;
  if (!name.startsWith(first)) return null;
  let at = first.length;
  for (const part of others) {
    const found = findText(name, part, at);
    if (found === -1) return null;
    at = found + part.length;
  }
  const end = name.length - last.length;
  if (end < at || !name.endsWith(last)) return null;
  return others.length === 0 ? name.slice(at, end) : "";
}

type Parts = { first: string; others: readonly string[]; last: string };

/** Of lines that are compared with the groups of many users. */
const splitLines = new WeakMap<GroupPattern, Parts | null>();

/** What is between the stars. Null for a pattern without one. */
function splitOnce(line: GroupPattern): Parts | null {
  const known = splitLines.get(line);
  if (known !== undefined) return known;
  const [first = "", ...others] = line.pattern.split("*");
  const last = others.pop();
  const parts = last === undefined ? null : { first, others, last };
  splitLines.set(line, parts);
  return parts;
}
