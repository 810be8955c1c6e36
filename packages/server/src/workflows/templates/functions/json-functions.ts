import { parseJson, toJsonText } from "@hub/connector";
import { findJsonExcess } from "../../../lib/json/scan-json.ts";
import { toBoundedJson } from "../render/print-value.ts";
import { chargeChars, chargeSteps, checkTextLength, fail } from "../render/render-context.ts";
import { valueDepthMax } from "../template-limits.ts";
import type { TemplateFunction } from "./define-function.ts";
import { takeText } from "./take-argument.ts";

/** Value tokens pass unchanged: they have no characters that JSON escapes. */
export const jsonFunctions = {
  toJSON: {
    args: [1, 1],
    call: (ctx, [value]) => {
      const text = toBoundedJson(ctx, value);
      checkTextLength(ctx, text.length);
      return text;
    },
  },
  fromJSON: {
    args: [1, 1],
    call: (ctx, [value]) => {
      const text = takeText(ctx, "fromJSON", value);
      checkTextLength(ctx, text.length);
      chargeChars(ctx, text.length * 4);
      const excess = findJsonExcess(text, {
        depthMax: valueDepthMax,
        valuesMax: Math.floor(ctx.budget.stepsLeft / 4),
      });
      if (excess !== null) {
        const reason = excess === "depth" ? `nested more than ${valueDepthMax} deep` : "too large";
        throw fail(ctx, `The JSON is ${reason}.`, "template_limit");
      }
      try {
        const parsed = parseJson(text);
        chargeSteps(ctx, countMarks(text) * 2);
        return parsed;
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError)) throw thrown;
        throw fail(ctx, '"fromJSON" gets text that is not JSON.');
      }
    },
  },
  jsonEscape: {
    args: [1, 1],
    call: (ctx, [value]) => {
      const text = toJsonText(takeText(ctx, "jsonEscape", value)).slice(1, -1);
      checkTextLength(ctx, text.length);
      return text;
    },
  },
} satisfies Record<string, TemplateFunction>;

/** About as many as the values of JSON text. */
function countMarks(text: string): number {
  let marks = 0;
  for (let at = text.indexOf(","); at !== -1; at = text.indexOf(",", at + 1)) marks += 1;
  return marks;
}
