import { findNumberText } from "@hub/connector";
import { toText } from "../../render/print-value.ts";
import { readNumber } from "../../render/read-number.ts";
import { chargeChars, chargeSteps, type RenderContext } from "../../render/render-context.ts";
import { toInteger, toKind, type Value } from "../../render/template-values.ts";
import { countCharacters, findCharacter } from "../lists.ts";
import { refuseTokens } from "../take-argument.ts";
import { formatFloat } from "./format-float.ts";
import type { Flags } from "./parse-directive.ts";
import { canBackquote, isPrintable, quoteText } from "./quote-text.ts";

/** How a value is written: the verb of Go with flags, width and precision. */
export type Style = { verb: string; flags: Flags; width: number; precision: number | null };

/** A value in the way of a verb. Null if the verb does not fit the value. */
export function formatValue(ctx: RenderContext, value: Value, style: Style): string | null {
  const { verb } = style;
  if (verb === "T") return pad(nameType(value), style);
  switch (toKind(value)) {
    case "missing":
    case "null":
      return verb === "v" ? pad("<nil>", style) : null;
    case "boolean":
      return verb === "t" || verb === "v" ? pad(String(value), style) : null;
    case "text":
      return formatText(ctx, String(value), style);
    case "number":
      return formatNumber(ctx, value, style);
    default:
      return verb === "v" || verb === "s" ? pad(toText(ctx, value), style) : null;
  }
}

/** The type of a value as Go names it in data that it decoded from JSON. */
export function nameType(value: Value): string {
  switch (toKind(value)) {
    case "boolean":
      return "bool";
    case "text":
      return "string";
    case "number":
      return toInteger(value) === null ? "float64" : "int";
    case "list":
      return "[]interface {}";
    case "map":
      return "map[string]interface {}";
    default:
      return "<nil>";
  }
}

function formatText(ctx: RenderContext, text: string, style: Style): string | null {
  const { verb, flags, precision } = style;
  chargeChars(ctx, text.length);
  if (!["v", "s", "q", "x", "X"].includes(verb)) return null;
  const isQuoted = verb === "q" || (verb === "v" && flags.sharp);
  if (isQuoted || precision !== null || verb.toLowerCase() === "x") {
    refuseTokens(ctx, "printf", text);
  }
  if (verb === "x" || verb === "X") {
    chargeSteps(ctx, text.length / 4);
    return formatBytes(text, style);
  }
  const kept = precision === null ? text : text.slice(0, findCharacter(text, 0, precision));
  if (!isQuoted) return pad(kept, style);
  chargeSteps(ctx, kept.length);
  if (flags.sharp && verb === "q" && canBackquote(kept)) return pad(`\`${kept}\``, style);
  return pad(quoteText(kept, { isAscii: flags.plus }), style);
}

/** The bytes of a text as hexadecimal digits. */
function formatBytes(text: string, style: Style): string {
  const { verb, flags, precision } = style;
  const bytes = Buffer.from(text).subarray(0, precision ?? undefined);
  const prefix = flags.sharp ? "0x" : "";
  const hex = bytes.toString("hex");
  const digits = flags.space
    ? (hex.match(/../g) ?? []).map((byte) => prefix + byte).join(" ")
    : (hex === "" ? "" : prefix) + hex;
  return pad(verb === "X" ? digits.toUpperCase() : digits, style);
}

function formatNumber(ctx: RenderContext, value: Value, style: Style): string | null {
  const { verb, precision } = style;
  const number = readNumber(ctx, value) ?? 0;
  const integer = toInteger(value);
  if (verb === "v" && precision === null && integer === null) {
    return writeSigned(findNumberText(value) ?? "", style);
  }
  if (verb === "v" && integer === null) return formatDecimal(ctx, number, "g", style);
  if (/^[efgEFG]$/.test(verb)) return formatDecimal(ctx, number, verb, style);
  if (integer === null) return null;
  return formatInteger(integer, style);
}

function formatDecimal(ctx: RenderContext, value: number, verb: string, style: Style): string {
  const size = Math.abs(value);
  // The digits of a very large or very small number are up to a thousand places.
  chargeSteps(ctx, size === 0 || (size > 1e-30 && size < 1e30) ? 20 : 200);
  chargeChars(ctx, style.precision ?? 0);
  const lower = verb.toLowerCase() as "e" | "f" | "g";
  const digits = formatFloat(size, lower, style.precision);
  const isNegative = value < 0 || Object.is(value, -0);
  const text = /[EG]/.test(verb) ? digits.toUpperCase() : digits;
  return writeSigned(isNegative ? `-${text}` : text, style);
}

/** Adds the sign and the padding, with zeros behind the sign. */
function writeSigned(text: string, style: Style): string {
  const { flags, width } = style;
  const isNegative = text.startsWith("-");
  const digits = isNegative ? text.slice(1) : text;
  const sign = isNegative ? "-" : flags.plus ? "+" : flags.space ? " " : "";
  if (flags.zero && !flags.minus) return sign + digits.padStart(width - sign.length, "0");
  return pad(sign + digits, style);
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, x: 16, X: 16, d: 10, v: 10 };

function formatInteger(value: bigint, style: Style): string | null {
  const { verb, flags, width, precision } = style;
  if (verb === "c" || verb === "q" || verb === "U") return formatCharacter(value, style);
  const base = bases[verb];
  if (base === undefined) return null;
  const spaced = { ...style, flags: { ...flags, zero: false } };
  if (precision === 0 && value === 0n) return pad("", spaced);
  const sign = value < 0n ? "-" : flags.plus ? "+" : flags.space ? " " : "";
  const isZeroPadded = precision === null && flags.zero && !flags.minus;
  const digitsMin = precision ?? (isZeroPadded ? width - sign.length : 0);
  const plain = (value < 0n ? -value : value).toString(base).padStart(digitsMin, "0");
  const digits = verb === "X" ? plain.toUpperCase() : plain;
  return pad(sign + toPrefix(digits, style) + digits, spaced);
}

function toPrefix(digits: string, { verb, flags }: Style): string {
  if (verb === "O") return flags.sharp && !digits.startsWith("0") ? "0o0" : "0o";
  if (!flags.sharp) return "";
  if (verb === "b") return "0b";
  if (verb === "o") return digits.startsWith("0") ? "" : "0";
  return verb === "x" || verb === "X" ? `0${verb}` : "";
}

function formatCharacter(value: bigint, style: Style): string {
  const { verb, flags, precision } = style;
  const isKnown = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
  const char = isKnown ? String.fromCodePoint(Number(value)) : "\ufffd";
  if (verb === "c") return pad(char, style);
  if (verb === "q") return pad(quoteText(char, { quote: "'", isAscii: flags.plus }), style);
  const code = BigInt.asUintN(64, value).toString(16).toUpperCase();
  const shown = flags.sharp && isKnown && isPrintable(char) ? ` '${char}'` : "";
  const text = `U+${code.padStart(Math.max(precision ?? 0, 4), "0")}${shown}`;
  return pad(text, { ...style, flags: { ...flags, zero: false } });
}

/** Pads to a width in characters: on the left, or with `-` on the right. */
function pad(text: string, { flags, width }: Style): string {
  if (width <= text.length / 2) return text;
  const missing = width - countCharacters(text);
  if (missing <= 0) return text;
  if (flags.minus) return text + " ".repeat(missing);
  return (flags.zero ? "0" : " ").repeat(missing) + text;
}
