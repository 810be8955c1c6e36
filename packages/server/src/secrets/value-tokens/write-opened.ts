import type { FieldEmbedding } from "@hub/connector";
import { isNestedWithin } from "../../lib/json/check-nesting.ts";

/** The format of a text: unknown, possibly JSON, or as the field says. */
export type TextKind = "raw" | "json" | FieldEmbedding;

/** Writes an opened value in place of its token. */
export type WriteOpened = (plaintext: string) => string;

type TokenContext = {
  /** The text with its tokens, and whether it is only one token. */
  text: string;
  isWhole: boolean;
  kind: TextKind;
};

/** The maximum nesting of a request. */
const nestingMax = 64;

/**
 * Chooses how opened values are escaped, so that each stays one value: it must not end a JSON
 * string or start another query parameter. A token has the same characters in all these formats, so
 * each can be replaced in the text.
 */
export function toWriter({ text, isWhole, kind }: TokenContext): WriteOpened {
  if (kind !== "raw" && isJsonText(text))
    return (plaintext) => JSON.stringify(plaintext).slice(1, -1);
  if (kind === "percent" || (kind === "path" && !isWhole)) {
    return (plaintext) => encodeURIComponent(plaintext.toWellFormed());
  }
  return (plaintext) => plaintext;
}

/** In JSON text, a token can only be inside a string. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !isNestedWithin(text, nestingMax)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
