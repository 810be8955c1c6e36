import { isJsonObject, parseJson } from "@hub/connector";
import { nestingMax, valuesMax } from "./check-nesting.ts";
import { scanJson } from "./scan-json.ts";

/** The object or list in a text, or why it may not be read, as the rest of a sentence. Null if it has neither. */
export type JsonInText =
  | { value: Record<string, unknown> | unknown[] }
  | { problem: string }
  | null;

export type JsonInTextReader = {
  /** `depth`: the levels of the message around the text. */
  read(text: string, depth: number): JsonInText;
};

/**
 * Reads objects and lists that callers wrote as JSON text. All texts of a call together have the limits of one message,
 * of which `valuesUsed` values are used already.
 */
export function createJsonInTextReader(countUsed: () => number = () => 0): JsonInTextReader {
  let valuesLeft: number | null = null;
  return {
    read(text, depth) {
      if (!/^\s*[[{]/.test(text)) return null;
      valuesLeft ??= valuesMax - countUsed();
      const limits = { depthMax: nestingMax - depth, valuesMax: valuesLeft };
      const { excess, values } = scanJson(text, limits);
      if (excess === "depth") {
        return { problem: `is JSON text nested more than ${nestingMax} levels deep` };
      }
      if (excess === "values") {
        return { problem: `is JSON text, with which the call has more than ${valuesMax} values` };
      }
      valuesLeft -= values;
      const value = parseOrNull(text);
      return isJsonObject(value) || Array.isArray(value) ? { value } : null;
    },
  };
}

/**
 * An object as models write it: also as JSON text, and null or an empty text for one without members. Other values are
 * returned as they are.
 */
export function readObjectOrText(
  given: unknown,
  depth: number,
): { value: unknown } | { problem: string } {
  if (given === null || (typeof given === "string" && given.trim() === "")) return { value: {} };
  const read = typeof given === "string" ? createJsonInTextReader().read(given, depth) : null;
  return read ?? { value: given };
}

/** The number of values in parsed JSON, as a message counts them. */
export function countValues(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const one = open.pop();
    count += 1;
    if (Array.isArray(one)) for (const item of one) open.push(item);
    else if (isJsonObject(one)) for (const name of Object.keys(one)) open.push(one[name]);
  }
  return count;
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
