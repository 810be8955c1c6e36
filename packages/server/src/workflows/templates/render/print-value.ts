import { findNumberText, toJsonText } from "@hub/connector";
import { outputBytesMax, valueDepthMax } from "../template-limits.ts";
import { listKeys } from "./map-keys.ts";
import { chargeChars, fail, type RenderContext, textTooLong } from "./render-context.ts";
import { readMember, SecretValue, type Value } from "./template-values.ts";

/**
 * The text of a value: text as it is, numbers, lists and objects as JSON. `absent` is the text for
 * null and for a missing value. A secret has no text here.
 */
export function toText(ctx: RenderContext, value: Value, absent = "<no value>"): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return absent;
  if (typeof value === "boolean") return String(value);
  if (value instanceof SecretValue) throw secretTransformed(ctx, value);
  return findNumberText(value) ?? toBoundedJson(ctx, value);
}

export function secretTransformed(ctx: RenderContext, { name }: { name: string }): Error {
  return fail(
    ctx,
    `The secret "${name}" can only be printed unchanged, because the hub inserts it when the request leaves. Write {{.Secret.${name}}} alone, or basicAuth.`,
    "secret_transformed",
  );
}

/** Compact JSON of a value. What it costs is known before the text is made. */
export function toBoundedJson(ctx: RenderContext, value: Value): string {
  checkSize(ctx, value, { depth: 0, charsLeft: outputBytesMax });
  return toJsonText(value ?? null);
}

/** Counts a step for each value, and its characters. Returns how many characters are left. */
function checkSize(
  ctx: RenderContext,
  value: Value,
  { depth, charsLeft }: { depth: number; charsLeft: number },
): number {
  if (value instanceof SecretValue) throw secretTransformed(ctx, value);
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) {
    const chars =
      typeof value === "string"
        ? value.length + 2
        : (findNumberText(value) ?? String(value)).length;
    chargeChars(ctx, chars);
    if (chars > charsLeft) throw textTooLong(ctx);
    return charsLeft - chars;
  }
  if (depth >= valueDepthMax) {
    throw fail(ctx, `The value is nested more than ${valueDepthMax} deep.`, "template_limit");
  }
  let left = charsLeft - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left = checkSize(ctx, item, { depth: depth + 1, charsLeft: left - 1 });
    }
    return left;
  }
  for (const key of listKeys(ctx, value)) {
    const charsLeft = left - key.length - 4;
    left = checkSize(ctx, readMember(value, key), { depth: depth + 1, charsLeft });
  }
  return left;
}
