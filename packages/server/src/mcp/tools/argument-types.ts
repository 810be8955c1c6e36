import { findNumberText, isJsonObject } from "@hub/connector";
import { z } from "zod";
import { createJsonInTextReader, readObjectOrText } from "../../lib/json/json-in-text.ts";
import { paramsDepth } from "../../operations/calls/fit-params.ts";
import type { Params } from "../frames/frame.ts";

/**
 * A text argument of at most so many characters. A number or a boolean is its text, because models write `404` for
 * "404".
 */
export function textArgument(description: string, charsMax: number) {
  const text = z.string("must be a string");
  return z
    .preprocess(toText, text.max(charsMax, `must have at most ${charsMax} characters`))
    .meta({ type: "string", description });
}

function toText(value: unknown): unknown {
  return typeof value === "boolean" ? String(value) : (findNumberText(value) ?? value);
}

/** The id of one operation of one row. No number is one. */
export const toolIdArgument = z
  .string("must be a string")
  .meta({ description: 'The tool_id from hub_search or hub_list, such as "conn:…/get_issue".' });

const listedCharsMax = 500;

/**
 * A list of texts. One text alone counts as a list of one, and the JSON text of a list as this list, because models send
 * both.
 */
export function textListArgument(description: string, countMax: number) {
  const message = `must be a list of at most ${countMax} strings of at most ${listedCharsMax} characters`;
  return z
    .preprocess(
      toTexts,
      z
        .array(z.string(message).max(listedCharsMax, message), message)
        .min(1, message)
        .max(countMax, message),
    )
    .meta({ type: "array", items: { type: "string" }, maxItems: countMax, description });
}

function toTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toText);
  const one = toText(value);
  if (typeof one !== "string") return one;
  const given = createJsonInTextReader().read(one, paramsDepth);
  const isList = given !== null && "value" in given && Array.isArray(given.value);
  return isList ? toTexts(given.value) : [one];
}

/**
 * An object argument, passed on unchanged: it keeps all digits of numbers and names like `__proto__`. Models also write it
 * as JSON text; and null or an empty text for an object without members. `example` is one.
 */
export const objectArgument = (description: string, example: Params) =>
  z
    .preprocess(
      (given, ctx) => {
        const read = readObjectOrText(given, paramsDepth);
        if ("value" in read) return read.value;
        ctx.addIssue({ code: "custom", message: read.problem });
        return z.NEVER;
      },
      z.custom<Params>(
        (value) => isJsonObject(value),
        `must be an object, not a text or a list, such as ${JSON.stringify(example)}`,
      ),
    )
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

/** True or false. The words in a string are accepted too, because models send them. */
export function booleanArgument(description: string) {
  const toBoolean = (value: unknown) =>
    value === "true" ? true : value === "false" ? false : value;
  return z
    .preprocess(toBoolean, z.boolean("must be true or false"))
    .meta({ type: "boolean", description });
}

/** Arguments of a tool without arguments. Others are ignored, because some clients send one. */
export const noArguments = z.looseObject({});
