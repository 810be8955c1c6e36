import type { FieldSpec, Issue } from "./field-spec.ts";
import { toValueText } from "./field-value.ts";

/** Patterns are short descriptions of a format, not parsers. */
export const patternCharsMax = 300;

/** What a pattern is tried on: matching may cost more than the length of a text. */
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

/** What is wrong with a value that is to be saved; null when it fits, or its field has no pattern. */
export function findPatternIssue({ key, pattern }: FieldSpec, value: unknown): Issue | null {
  if (pattern === undefined) return null;
  const text = toValueText(value).trim();
  if (text === "") return null;
  if (text.length <= textCharsMax && compilePattern(pattern.pattern)?.test(text) !== false) {
    return null;
  }
  // The text is not repeated: it may hold a password.
  return { path: key, message: pattern.hint };
}
