import { listKeys } from "./map-keys.ts";
import { readNumber } from "./read-number.ts";
import type { RenderContext } from "./render-context.ts";
import { isMap, SecretValue, type Value } from "./template-values.ts";

/** Whether a value counts as true in `if`: it is not empty, zero, false, null or missing. */
export function isTrue(ctx: RenderContext, value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof SecretValue) return value.isSet;
  if (isMap(value)) return listKeys(ctx, value).length > 0;
  return readNumber(ctx, value) !== 0;
}
