import type { RenderContext } from "../render/render-context.ts";
import type { Value } from "../render/template-values.ts";

/** A function of templates. */
export type TemplateFunction = {
  /** The least and the most arguments. */
  args: readonly [number, number];
  /** A function without this throws for a secret. */
  takesSecrets?: true;
  call(ctx: RenderContext, args: readonly Value[]): Value;
};

export const anyNumber = Number.POSITIVE_INFINITY;
