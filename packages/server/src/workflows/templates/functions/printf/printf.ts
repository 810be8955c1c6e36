import {
  chargeChars,
  chargeSteps,
  checkTextLength,
  fail,
  type RenderContext,
  warn,
} from "../../render/render-context.ts";
import { nameKind, toInteger, type Value } from "../../render/template-values.ts";
import { formatValue, nameType, type Style } from "./format-value.ts";
import { type Directive, type Flags, parseDirective, widthMax } from "./parse-directive.ts";

/**
 * `printf FORMAT VALUE…` of Go. A directive that does not fit its value prints what is wrong, such
 * as `%!d(string=a)`, as in Go, and is a warning.
 */
export function printf(ctx: RenderContext, [first, ...values]: readonly Value[]): string {
  if (typeof first !== "string") {
    throw fail(ctx, `The format of "printf" is text, and this is ${nameKind(first)}.`);
  }
  const format = first;
  chargeChars(ctx, format.length);
  const state: State = { next: 0, isReordered: false, hasProblem: false };
  let text = "";
  let at = 0;
  while (at < format.length) {
    const start = format.indexOf("%", at);
    if (start === -1) break;
    text += format.slice(at, start);
    const directive = parseDirective(format, start, (chars) => chargeChars(ctx, chars));
    chargeSteps(ctx, 8);
    const written = writeDirective(ctx, directive, { state, values });
    text += written.text;
    state.hasProblem ||= !written.fits;
    at = directive.end;
    checkTextLength(ctx, text.length);
  }
  text += format.slice(Math.max(at, 0));
  if (!state.isReordered && state.next < values.length) {
    state.hasProblem = true;
    text += writeExtra(ctx, values.slice(state.next));
  }
  if (state.hasProblem) warn(ctx, "printf has a directive that does not fit its value.");
  checkTextLength(ctx, text.length);
  return text;
}

/** Which value is the next one, whether an explicit index changed that, and whether all fit. */
type State = { next: number; isReordered: boolean; hasProblem: boolean };

type Values = { state: State; values: readonly Value[] };

const noFlags: Flags = { sharp: false, zero: false, plus: false, minus: false, space: false };

type Written = { text: string; fits: boolean };

function writeDirective(
  ctx: RenderContext,
  directive: Directive,
  { state, values }: Values,
): Written {
  const { verb } = directive;
  let isGoodIndex = true;
  const seek = (index: number | null) => {
    if (index === null) return;
    state.isReordered = true;
    if (index >= 0 && index < values.length) state.next = index;
    else isGoodIndex = false;
  };
  let problem = "";
  const flags = { ...directive.flags };
  seek(directive.widthArgument);
  let width = directive.width ?? 0;
  if (width === "*") {
    const taken = takeSize(values, state);
    if (taken === null) problem += "%!(BADWIDTH)";
    width = Math.abs(taken ?? 0);
    if (taken !== null && taken < 0) {
      flags.minus = true;
      flags.zero = false;
    }
  }
  seek(directive.precisionArgument);
  let { precision } = directive;
  if (precision === "*") {
    const taken = takeSize(values, state);
    precision = taken === null || taken < 0 ? null : taken;
    if (precision === null) problem += "%!(BADPREC)";
  }
  seek(directive.valueArgument);
  if (verb === null) return { text: `${problem}%!(NOVERB)`, fits: false };
  if (verb === "%") return { text: `${problem}%`, fits: problem === "" };
  if (!isGoodIndex) return { text: `${problem}%!${verb}(BADINDEX)`, fits: false };
  if (state.next >= values.length) return { text: `${problem}%!${verb}(MISSING)`, fits: false };
  const value = values[state.next];
  state.next += 1;
  const written = writeValue(ctx, value, { verb, flags, width, precision });
  return { text: problem + written.text, fits: problem === "" && written.fits };
}

function takeSize(values: readonly Value[], state: State): number | null {
  const size = state.next < values.length ? toInteger(values[state.next]) : null;
  if (state.next < values.length) state.next += 1;
  return size === null || size > widthMax || size < -widthMax ? null : Number(size);
}

function writeValue(ctx: RenderContext, value: Value, style: Style): Written {
  // `%+v` and `%#v` are about the fields of structs, which JSON does not have.
  const flags = style.verb === "v" ? { ...style.flags, plus: false } : style.flags;
  const text = formatValue(ctx, value, { ...style, flags });
  if (text !== null) return { text, fits: true };
  if (value === undefined || value === null) {
    return { text: `%!${style.verb}(<nil>)`, fits: false };
  }
  const plain = formatValue(ctx, value, { ...style, verb: "v" }) ?? "";
  return { text: `%!${style.verb}(${nameType(value)}=${plain})`, fits: false };
}

function writeExtra(ctx: RenderContext, values: readonly Value[]): string {
  const extras = values.map((value) => {
    if (value === undefined || value === null) return "<nil>";
    const style = { verb: "v", flags: noFlags, width: 0, precision: null };
    return `${nameType(value)}=${formatValue(ctx, value, style) ?? ""}`;
  });
  return `%!(EXTRA ${extras.join(", ")})`;
}
