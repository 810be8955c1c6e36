/** The digits of a positive number: 0.DIGITS times ten to the power of `point`. */
export type Decimal = { digits: string; point: number };

/** All digits of the binary value of a number that is at least 0. */
export function toExactDecimal(value: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponentBits = Number(bits >> 52n) & 0x7ff;
  const fraction = bits & (2n ** 52n - 1n);
  const mantissa = exponentBits === 0 ? fraction : fraction | (1n << 52n);
  const exponent = Math.max(exponentBits, 1) - 1075;
  if (exponent >= 0) return trimDigits(String(mantissa << BigInt(exponent)), 0);
  // A power of a half has as many decimal places as its exponent.
  return trimDigits(String(mantissa * 5n ** BigInt(-exponent)), -exponent);
}

/** The fewest digits that name the number. */
export function toShortestDecimal(value: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const decimal = trimDigits(digits.replace(".", ""), 0);
  return { digits: decimal.digits, point: Number(exponent) + 1 };
}

/** Rounds to a number of digits, and halves to the even digit, as Go does. */
export function roundDecimal({ digits, point }: Decimal, kept: number): Decimal {
  if (kept >= digits.length) return { digits, point };
  if (kept < 0) return { digits: "", point: 0 };
  const next = digits.charCodeAt(kept) - zero;
  const isHalf = next === 5 && kept + 1 === digits.length;
  const isOdd = kept > 0 && (digits.charCodeAt(kept - 1) - zero) % 2 === 1;
  if (next < 5 || (isHalf && !isOdd)) return trimZeros(digits.slice(0, kept), point);
  const raised = String(BigInt(`0${digits.slice(0, kept)}`) + 1n).padStart(kept, "0");
  // The first digit can be a new one, as in 9.9 to 10.
  return trimZeros(raised, point + Math.max(raised.length - kept, 0));
}

const zero = "0".charCodeAt(0);

function trimDigits(digits: string, places: number): Decimal {
  return trimZeros(digits, digits.length - places);
}

function trimZeros(digits: string, point: number): Decimal {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === zero) end -= 1;
  return end === 0 ? { digits: "", point: 0 } : { digits: digits.slice(0, end), point };
}
