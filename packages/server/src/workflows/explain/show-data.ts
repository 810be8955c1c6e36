import { type Json, toJsonText } from "@hub/connector";
import { toCodeSpan } from "@hub/contract/code-spans.ts";

/** A value of a body as data: a text as it is, another value as JSON. */
export function showData(value: unknown, charsMax = 160): string {
  if (typeof value === "string") return toCodeSpan(value, charsMax);
  // A body is JSON.
  return toCodeSpan(toJsonText(value as Json), charsMax);
}

const paramsMax = 8;

/** Named values, such as ``with `path` = `/issues` ``; null if there are none. */
export function showParams(params: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(params);
  if (entries.length === 0) return null;
  const shown = entries
    .slice(0, paramsMax)
    .map(([key, value]) => `${toCodeSpan(key, 80)} = ${showData(value)}`);
  const more = entries.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
