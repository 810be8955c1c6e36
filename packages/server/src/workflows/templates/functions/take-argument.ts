import { findNumberText } from "@hub/connector";
import { findTokenSpans, tokenPrefix } from "../../../secrets/value-tokens/token-format.ts";
import { chargeChars, fail, type RenderContext } from "../render/render-context.ts";
import { nameKind, toInteger, type Value } from "../render/template-values.ts";

/** An argument that is text. Numbers, `true` and `false` are taken as they print. */
export function takeText(ctx: RenderContext, name: string, value: Value): string {
  const text = typeof value === "boolean" ? String(value) : findNumberText(value);
  const found = typeof value === "string" ? value : text;
  if (found !== null) {
    chargeChars(ctx, found.length);
    return found;
  }
  const hint =
    value === undefined || value === null
      ? ' Give it a value with default: (default "" VALUE).'
      : " Write it as text with toJSON.";
  throw fail(ctx, `"${name}" needs text, and this is ${nameKind(value)}.${hint}`);
}

/** The text of a function that changes it. Text with a value token cannot be changed. */
export function takeChangedText(ctx: RenderContext, name: string, value: Value): string {
  const text = takeText(ctx, name, value);
  refuseTokens(ctx, name, text);
  return text;
}

/**
 * A changed value token cannot be opened any more, and the request would fail far from here. The
 * caller has charged the characters of the text.
 */
export function refuseTokens(ctx: RenderContext, name: string, text: string): void {
  if (!text.includes(tokenPrefix)) return;
  // Looking at what may be a token takes longer than finding its prefix.
  chargeChars(ctx, text.length * tokenWeight);
  if (findTokenSpans(text).length === 0) return;
  throw fail(
    ctx,
    `"${name}" gets text with a value token, which can only be passed on unchanged.`,
    "secret_transformed",
  );
}

const tokenWeight = 8;

/** An argument that is an integer which a JavaScript number can represent. */
export function takeInteger(ctx: RenderContext, name: string, value: Value): number {
  const integer = toInteger(value);
  if (integer === null) {
    throw fail(ctx, `"${name}" needs a whole number, and this is ${nameKind(value)}.`);
  }
  return Number(integer);
}
