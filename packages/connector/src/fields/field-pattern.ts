import type { FieldSpec, Issue } from "./field-spec.ts";
import { toValueText } from "./field-value.ts";

/** Patterns are short descriptions of a format, not parsers. */
export const patternCharsMax = 300;

/** Longer texts are not matched, because a match may cost more than linear time. */
const textCharsMax = 2000;

/** Returns null if the text is not a regular expression, or is too long. */
export function compilePattern(pattern: string): RegExp | null {
  if (pattern.length > patternCharsMax) return null;
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

/** The issue with a value to be saved; null if it fits or its field has no pattern. */
export function findPatternIssue({ key, pattern }: FieldSpec, value: unknown): Issue | null {
  if (pattern === undefined) return null;
  const text = toValueText(value).trim();
  if (text === "") return null;
  if (text.length <= textCharsMax && compilePattern(pattern.pattern)?.test(text) !== false) {
    return null;
  }
  // The text is not repeated, because it may contain a password.
  return { path: key, message: pattern.hint };
}
