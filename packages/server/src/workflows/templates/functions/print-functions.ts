import { toText } from "../render/print-value.ts";
import { checkTextLength, type RenderContext } from "../render/render-context.ts";
import type { Value } from "../render/template-values.ts";
import { anyNumber, type TemplateFunction } from "./define-function.ts";
import { printf } from "./printf/printf.ts";

export const printFunctions = {
  print: { args: [0, anyNumber], call: (ctx, args) => printArguments(ctx, args, "<nil>") },
  printf: { args: [1, anyNumber], call: printf },
} satisfies Record<string, TemplateFunction>;

/** The values one after another, with a space between two that are not text, as in Go. */
export function printArguments(ctx: RenderContext, args: readonly Value[], absent: string): string {
  let text = "";
  for (const [at, value] of args.entries()) {
    const isAfterText = at === 0 || typeof args[at - 1] === "string";
    if (!isAfterText && typeof value !== "string") text += " ";
    text += toText(ctx, value, absent);
    checkTextLength(ctx, text.length);
  }
  return text;
}
