import { countText, replaceText, splitText } from "@hub/connector";
import { toText } from "../render/print-value.ts";
import {
  chargeChars,
  chargeSteps,
  checkTextLength,
  fail,
  type RenderContext,
} from "../render/render-context.ts";
import { nameKind, type Value } from "../render/template-values.ts";
import type { TemplateFunction } from "./define-function.ts";
import { findCharacter } from "./lists.ts";
import { takeChangedText, takeInteger, takeText } from "./take-argument.ts";

/** The text comes last, so that it can come from a pipeline. */
export const textFunctions = {
  upper: { args: [1, 1], call: (ctx, [text]) => takeChangedText(ctx, "upper", text).toUpperCase() },
  lower: { args: [1, 1], call: (ctx, [text]) => takeChangedText(ctx, "lower", text).toLowerCase() },
  trim: { args: [1, 1], call: (ctx, [text]) => takeText(ctx, "trim", text).trim() },
  truncate: {
    args: [2, 2],
    call: (ctx, [length, value]) => {
      const text = takeText(ctx, "truncate", value);
      const kept = takeInteger(ctx, "truncate", length);
      if (kept < 0) throw fail(ctx, '"truncate" needs a length of at least 0.');
      const end = findCharacter(text, 0, kept);
      return end >= text.length ? text : takeChangedText(ctx, "truncate", text).slice(0, end);
    },
  },
  replace: {
    args: [3, 3],
    call: (ctx, [from, to, text]) =>
      replaceAll(ctx, {
        from: takeText(ctx, "replace", from),
        to: takeText(ctx, "replace", to),
        text: takeChangedText(ctx, "replace", text),
      }),
  },
  split: {
    args: [2, 2],
    call: (ctx, [separator, value]) =>
      split(ctx, takeText(ctx, "split", separator), takeChangedText(ctx, "split", value)),
  },
  join: { args: [2, 2], call: (ctx, [separator, list]) => join(ctx, separator, list) },
  base64: {
    args: [1, 1],
    call: (ctx, [value]) => {
      const text = takeChangedText(ctx, "base64", value);
      checkTextLength(ctx, Math.ceil((Buffer.byteLength(text) * 4) / 3));
      return Buffer.from(text).toString("base64");
    },
  },
} satisfies Record<string, TemplateFunction>;

function replaceAll(
  ctx: RenderContext,
  { from, to, text }: { from: string; to: string; text: string },
): string {
  // Every gap between characters would be a match.
  if (from === "") throw fail(ctx, '"replace" needs the text that it replaces; this one is empty.');
  const charge = (chars: number) => chargeChars(ctx, chars);
  const matches = countText(text, from, charge);
  // The length is known before the text is made, because a short text could become very long.
  checkTextLength(ctx, text.length + matches * (to.length - from.length));
  chargeSteps(ctx, matches);
  return replaceText(text, from, to, charge);
}

function split(ctx: RenderContext, separator: string, text: string): string[] {
  // Each character of the text becomes an item.
  if (separator === "") {
    chargeSteps(ctx, text.length);
    return [...text];
  }
  const charge = (chars: number) => chargeChars(ctx, chars);
  // Each item costs a step, beside the characters, and is charged before the items are made.
  chargeSteps(ctx, countText(text, separator, charge));
  return splitText(text, separator, charge);
}

function join(ctx: RenderContext, separator: Value, list: Value): string {
  const between = takeText(ctx, "join", separator);
  if (!Array.isArray(list)) {
    throw fail(ctx, `"join" needs a list, and this is ${nameKind(list)}.`);
  }
  const texts: string[] = [];
  let length = 0;
  for (const item of list) {
    const text = toText(ctx, item, "");
    length += text.length + between.length;
    checkTextLength(ctx, length);
    chargeSteps(ctx, 1);
    texts.push(text);
  }
  return texts.join(between);
}
