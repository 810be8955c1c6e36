const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export type JsonLimits = { depthMax: number; valuesMax: number };

export type JsonExcess = "depth" | "values" | null;

/** Why JSON text is too expensive to parse: its nesting or its number of values; null if it is not. */
export function findJsonExcess(text: string, limits: JsonLimits): JsonExcess {
  return scanJson(text, limits).excess;
}

/**
 * The same, and the values that were counted. Reads the text once and builds nothing: `JSON.parse` takes
 * seconds for nested brackets.
 */
export function scanJson(
  text: string,
  { depthMax, valuesMax }: JsonLimits,
): { excess: JsonExcess; values: number } {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = findStringEnd(text, at);
      if (at === -1) break;
    } else if (code === openBracket || code === openBrace) {
      depth += 1;
      values += 1;
      if (depth > depthMax) return { excess: "depth", values };
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
    } else if (code === comma) {
      values += 1;
    }
    if (values > valuesMax) return { excess: "values", values };
  }
  return { excess: null, values };
}

/** The index of the closing quote of the string at `start`; -1 if it is not closed. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
