import { type Decimal, roundDecimal, toExactDecimal, toShortestDecimal } from "./exact-decimal.ts";

/**
 * A number of at least 0 in the way of a verb of Go: `e`, `f` or `g`. Without a precision, `g`
 * gives the fewest digits that name the number.
 */
export function formatFloat(
  value: number,
  verb: "e" | "f" | "g",
  precision: number | null,
): string {
  if (verb === "g") return formatGeneral(value, precision);
  const places = precision ?? 6;
  const exact = toExactDecimal(value);
  if (verb === "e") return writeExponent(roundDecimal(exact, places + 1), places);
  return writeFixed(roundDecimal(exact, exact.point + places), places);
}

function formatGeneral(value: number, precision: number | null): string {
  const wanted = precision === 0 ? 1 : precision;
  const decimal =
    wanted === null ? toShortestDecimal(value) : roundDecimal(toExactDecimal(value), wanted);
  const { length } = decimal.digits;
  const exponent = decimal.point - 1;
  const exponentMax =
    wanted === null ? 6 : wanted > length && length >= decimal.point ? length : wanted;
  if (exponent < -4 || exponent >= exponentMax) {
    return writeExponent(decimal, Math.max(Math.min(wanted ?? length, length) - 1, 0));
  }
  return writeFixed(decimal, Math.max(length - decimal.point, 0));
}

function writeExponent({ digits, point }: Decimal, places: number): string {
  const exponent = digits === "" ? 0 : point - 1;
  const mantissa = `${digits[0] ?? "0"}${places > 0 ? "." : ""}${digits.slice(1).padEnd(places, "0")}`;
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${power}`;
}

function writeFixed({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (places === 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : "0".repeat(-point) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, "0")}`;
}
