import { isJsonObject } from "@hub/connector";
import { z } from "zod";
import type { Params } from "../frame.ts";

/** A text argument of a meta-tool. */
export const textArgument = (description: string) =>
  z.string("must be a string").meta({ description });

/** The id of one operation of one row. */
export const toolIdArgument = textArgument(
  'The tool_id from hub_search or hub_list, such as "conn:…/get_issue".',
);

const listedCharsMax = 500;

/** A list of texts. One text alone counts as a list of one, because models send that. */
export function textListArgument(description: string, countMax: number) {
  const message = `must be a list of at most ${countMax} strings of at most ${listedCharsMax} characters`;
  return z
    .preprocess(
      (value) => (typeof value === "string" ? [value] : value),
      z
        .array(z.string(message).max(listedCharsMax, message), message)
        .min(1, message)
        .max(countMax, message),
    )
    .meta({ type: "array", items: { type: "string" }, maxItems: countMax, description });
}

/** An object argument, passed on unchanged: it keeps all digits of numbers and names like `__proto__`. */
export const objectArgument = (description: string) =>
  z
    .custom<Params>((value) => isJsonObject(value as Params), "must be an object")
    .meta({ type: "object", description });

/** A whole number from `min` to `max`. Digits in a string are accepted too, because models send them. */
export function integerArgument(description: string, { min, max }: { min: number; max: number }) {
  const range = `must be a whole number from ${min} to ${max}`;
  return z
    .preprocess(
      (value) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value),
      z.int(range).min(min, range).max(max, range),
    )
    .meta({ type: "integer", minimum: min, maximum: max, description });
}

/** Arguments of a tool without arguments. Others are ignored, because some clients send one. */
export const noArguments = z.looseObject({});
