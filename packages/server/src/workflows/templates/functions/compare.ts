import { tokenPrefix } from "../../../secrets/value-tokens/token-format.ts";
import { readNumber } from "../render/read-number.ts";
import { chargeChars, chargeSteps, fail, type RenderContext } from "../render/render-context.ts";
import {
  compareTexts,
  nameKind,
  toInteger,
  toKind,
  type Value,
} from "../render/template-values.ts";
import { anyNumber, type TemplateFunction } from "./define-function.ts";
import { refuseTokens } from "./take-argument.ts";

/** The comparisons of Go, with one kind of number. */
export const compareFunctions = {
  eq: {
    args: [2, anyNumber],
    call: (ctx, [first, ...others]) => others.some((other) => isEqual(ctx, "eq", first, other)),
  },
  ne: { args: [2, 2], call: (ctx, [one, other]) => !isEqual(ctx, "ne", one, other) },
  lt: { args: [2, 2], call: (ctx, [one, other]) => compare(ctx, "lt", one, other) < 0 },
  le: { args: [2, 2], call: (ctx, [one, other]) => compare(ctx, "le", one, other) <= 0 },
  gt: { args: [2, 2], call: (ctx, [one, other]) => compare(ctx, "gt", one, other) > 0 },
  ge: { args: [2, 2], call: (ctx, [one, other]) => compare(ctx, "ge", one, other) >= 0 },
} satisfies Record<string, TemplateFunction>;

function isEqual(ctx: RenderContext, name: string, one: Value, other: Value): boolean {
  refuseToken(ctx, name, one);
  refuseToken(ctx, name, other);
  const [kind, otherKind] = [toKind(one), toKind(other)];
  if (isAbsent(one) || isAbsent(other)) return isAbsent(one) && isAbsent(other);
  chargeChars(ctx, toCompared(one, other));
  if (kind !== otherKind) throw differentKinds(ctx, name, one, other);
  if (kind === "list" || kind === "map") throw notComparable(ctx, name, one);
  return kind === "number" ? compareNumbers(ctx, one, other) === 0 : one === other;
}

function compare(ctx: RenderContext, name: string, one: Value, other: Value): number {
  refuseToken(ctx, name, one);
  refuseToken(ctx, name, other);
  for (const value of [one, other]) {
    const kind = toKind(value);
    if (kind !== "number" && kind !== "text") throw notComparable(ctx, name, value);
  }
  if (typeof one === "string" && typeof other === "string") {
    chargeChars(ctx, Math.min(one.length, other.length) * compareWeight);
    return compareTexts(one, other);
  }
  if (toKind(one) !== toKind(other)) throw differentKinds(ctx, name, one, other);
  return compareNumbers(ctx, one, other);
}

/** The order of texts is found character by character, which takes longer than other work. */
const compareWeight = 4;

/** How many characters a test for equality reads: texts of different lengths are never equal. */
function toCompared(one: Value, other: Value): number {
  if (typeof one !== "string" || typeof other !== "string") return 0;
  return one.length === other.length ? one.length : 0;
}

/** Integers are compared exactly, whatever their size. */
function compareNumbers(ctx: RenderContext, one: Value, other: Value): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  chargeSteps(ctx, 4);
  const [exact, otherExact] = [toInteger(one), toInteger(other)];
  if (exact !== null && otherExact !== null) {
    return exact < otherExact ? -1 : exact > otherExact ? 1 : 0;
  }
  return (readNumber(ctx, one) ?? 0) - (readNumber(ctx, other) ?? 0);
}

function isAbsent(value: Value): boolean {
  return value === undefined || value === null;
}

/** A token never equals the value that it stands for, so a comparison would mislead. */
function refuseToken(ctx: RenderContext, name: string, value: Value): void {
  if (typeof value !== "string" || !value.startsWith(tokenPrefix)) return;
  chargeChars(ctx, value.length);
  refuseTokens(ctx, name, value);
}

function differentKinds(ctx: RenderContext, name: string, one: Value, other: Value): Error {
  return fail(ctx, `"${name}" cannot compare ${nameKind(one)} with ${nameKind(other)}.`);
}

function notComparable(ctx: RenderContext, name: string, value: Value): Error {
  return fail(ctx, `"${name}" cannot compare ${nameKind(value)}.`);
}
