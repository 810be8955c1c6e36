import { findNumberText } from "@hub/connector";
import { chargeChars, type RenderContext } from "./render-context.ts";
import type { Value } from "./template-values.ts";

/** A finite number of any representation as a JavaScript number; null for other values. */
export function readNumber(ctx: RenderContext, value: Value): number | null {
  if (typeof value === "number") return value;
  const digits = findNumberText(value);
  if (digits === null) return null;
  // A number of JSON may have as many digits as a text has characters.
  chargeChars(ctx, digits.length);
  return Number(digits);
}
