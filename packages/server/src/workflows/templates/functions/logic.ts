import { isTrue } from "../render/is-true.ts";
import { listKeys } from "../render/map-keys.ts";
import type { RenderContext } from "../render/render-context.ts";
import { isMap, SecretValue, type Value } from "../render/template-values.ts";
import { anyNumber, type TemplateFunction } from "./define-function.ts";

export const logicFunctions = {
  /** `and` and `or` are called here only without arguments; else `evaluate.ts` evaluates them. */
  and: { args: [1, anyNumber], takesSecrets: true, call: (_ctx, args) => args.at(-1) },
  or: { args: [1, anyNumber], takesSecrets: true, call: (_ctx, args) => args.at(-1) },
  not: { args: [1, 1], takesSecrets: true, call: (ctx, [value]) => !isTrue(ctx, value) },
  default: {
    args: [2, 2],
    takesSecrets: true,
    call: (ctx, [fallback, value]) => (isEmpty(ctx, value) ? fallback : value),
  },
} satisfies Record<string, TemplateFunction>;

/** Missing, null, or without content. `0` and `false` are values. */
function isEmpty(ctx: RenderContext, value: Value): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (value instanceof SecretValue) return !value.isSet;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && listKeys(ctx, value).length === 0;
}
