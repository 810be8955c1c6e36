import { findNumberText } from "@hub/connector";
import type { KeywordCheck } from "./validation.ts";

/** Keywords of numbers. A number with more digits than JavaScript's is compared without them. */
export const numberKeywords: { [keyword: string]: KeywordCheck } = {
  minimum: compare("minimum", "must be at least", (number, limit) => number >= limit),
  maximum: compare("maximum", "must be at most", (number, limit) => number <= limit),
  exclusiveMinimum: compare(
    "exclusiveMinimum",
    "must be more than",
    (number, limit) => number > limit,
  ),
  exclusiveMaximum: compare(
    "exclusiveMaximum",
    "must be less than",
    (number, limit) => number < limit,
  ),
  multipleOf: compare("multipleOf", "must be a multiple of", (number, divisor) => {
    const quotient = number / divisor;
    if (!Number.isFinite(quotient)) return number % divisor === 0;
    // 0.3 / 0.1 is not a whole number for a computer.
    return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient) * 4;
  }),
};

function compare(
  keyword: string,
  message: string,
  isValid: (number: number, limit: number) => boolean,
): KeywordCheck {
  return ({ spendChars }, schema, value, path) => {
    const digits = findNumberText(value);
    spendChars(digits?.length ?? 0);
    const limit = Number(schema[keyword]);
    return digits === null || isValid(Number(digits), limit)
      ? null
      : { path, message: `${message} ${limit}` };
  };
}
