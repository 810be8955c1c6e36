import { escapeInvisible } from "@hub/contract/invisible-characters.ts";

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const nameCharsMax = 64;
const literalCharsMax = 40;

/**
 * A name as it stands in a signature. One that is no identifier is JSON text, so that a name cannot look like another
 * part of the signature. Null if it is too long to be shown.
 */
export function toNameText(name: string): string | null {
  if (name.length > nameCharsMax) return null;
  return identifier.test(name) ? name : toJsonLiteral(name);
}

/** A text, number, boolean or null as JSON; null for other values and long texts. */
export function toLiteral(value: unknown): string | null {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return JSON.stringify(value);
  // An integer with more digits than a number keeps.
  if (JSON.isRawJSON(value)) return toShort(JSON.stringify(value));
  if (typeof value !== "string" || value.length > literalCharsMax) return null;
  return toJsonLiteral(value);
}

function toShort(text: string): string | null {
  return text.length > literalCharsMax ? null : text;
}

function toJsonLiteral(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}
