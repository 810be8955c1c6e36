import type { FieldEmbedding } from "@hub/connector";
import { isNestedWithin } from "../lib/check-nesting.ts";

/** What a text is made of: nothing that is known, perhaps JSON text, or that or what its field says. */
export type TextKind = "raw" | "json" | FieldEmbedding;

/** Writes an opened value in the place of its token. */
export type WriteOpened = (plaintext: string) => string;

type Place = {
  /** The text with its tokens, and whether it is one token and nothing else. */
  text: string;
  isWhole: boolean;
  kind: TextKind;
};

/** As deep as a request may nest. */
const nestingMax = 64;

/**
 * How opened values are written into a text so that they stay values: none of them may end a string
 * of JSON text or begin another parameter of a query. A token's characters are the same in all of
 * these notations, so that each can be replaced where it stands.
 */
export function toWriter({ text, isWhole, kind }: Place): WriteOpened {
  if (kind !== "raw" && isJsonText(text))
    return (plaintext) => JSON.stringify(plaintext).slice(1, -1);
  if (kind === "percent" || (kind === "path" && !isWhole)) {
    return (plaintext) => encodeURIComponent(plaintext.toWellFormed());
  }
  return (plaintext) => plaintext;
}

/** In JSON text a token can stand within a string only. */
function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !isNestedWithin(text, nestingMax)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
