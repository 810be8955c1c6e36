/** A member of an object whose value is a text, number or boolean, as text. */
export type Scalar = { name: string; value: string };

const scalarsMax = 50;
const memberName = /\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y;
const text = /"((?:[^"\\]|\\.)*)"/y;
const word = /[^\s,"[\]{}]+/y;
const separator = /\s*,/y;
/** An escape that the cut has divided. */
const partEscape = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/**
 * The texts, numbers and booleans of a JSON object, in its order. The JSON may be cut at any place: what stands before
 * the cut is read. Objects and lists in it are passed over. Linear in the length of the text.
 */
export function readScalars(json: string): Scalar[] {
  const scalars: Scalar[] = [];
  let at = match(/\s*\{/y, json, 0)?.end ?? json.length;
  while (at < json.length && scalars.length < scalarsMax) {
    const named = match(memberName, json, at);
    const name = named === null ? null : parseText(named.group);
    if (named === null || name === null) break;
    const value = readValue(json, named.end);
    if (value.text !== null) scalars.push({ name, value: value.text });
    const next = match(separator, json, value.end);
    if (next === null) break;
    at = next.end;
  }
  return scalars;
}

type Value = { text: string | null; end: number };

function readValue(json: string, at: number): Value {
  const first = json[at];
  if (first === "{" || first === "[") return { text: null, end: findNestedEnd(json, at) };
  if (first === '"') {
    const whole = match(text, json, at);
    if (whole !== null) return { text: parseText(whole.group), end: whole.end };
    return { text: parseText(json.slice(at + 1).replace(partEscape, "")), end: json.length };
  }
  const found = match(word, json, at);
  if (found === null) return { text: null, end: json.length };
  return { text: found.whole === "null" ? null : found.whole, end: found.end };
}

/** The end of the object or list at `start`; the end of the text if it is cut before. */
function findNestedEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = (match(text, json, at)?.end ?? json.length) - 1;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return json.length;
}

function match(pattern: RegExp, json: string, at: number) {
  pattern.lastIndex = at;
  const found = pattern.exec(json);
  if (found === null) return null;
  return { whole: found[0], group: found[1] ?? "", end: pattern.lastIndex };
}

function parseText(body: string): string | null {
  try {
    return String(JSON.parse(`"${body}"`));
  } catch {
    return null;
  }
}
