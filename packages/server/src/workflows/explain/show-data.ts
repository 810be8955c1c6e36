import { type Json, toJsonText } from "@hub/connector";
import { toCodeSpan } from "@hub/contract/code-spans.ts";

/** A value of a body as data: a text as it is, another value as JSON. */
export function showData(value: unknown, charsMax = 160): string {
  if (typeof value === "string") return toCodeSpan(value, charsMax);
  // A body is JSON.
  return toCodeSpan(toJsonText(value as Json), charsMax);
}
