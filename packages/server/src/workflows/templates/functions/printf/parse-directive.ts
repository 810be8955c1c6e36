/** A directive of a format, such as `%-8.2f`, and where it ends. */
export type Directive = {
  flags: Flags;
  /** A number, `*` for an argument, or null. */
  width: number | "*" | null;
  precision: number | "*" | null;
  /** The positions of explicit arguments, from 0: for width, precision and value. -1 is none. */
  widthArgument: number | null;
  precisionArgument: number | null;
  valueArgument: number | null;
  /** The verb; null if the format ends before it. */
  verb: string | null;
  end: number;
};

export type Flags = {
  sharp: boolean;
  zero: boolean;
  plus: boolean;
  minus: boolean;
  space: boolean;
};

/** The largest width and precision of Go. */
export const widthMax = 1_000_000;

const flagNames: Readonly<Record<string, keyof Flags>> = {
  "#": "sharp",
  "0": "zero",
  "+": "plus",
  "-": "minus",
  " ": "space",
};

/** Reads the directive whose `%` is at `start`. `chargeChars` counts what is read in vain. */
export function parseDirective(
  format: string,
  start: number,
  chargeChars: (chars: number) => void,
): Directive {
  let at = start + 1;
  const flags = { sharp: false, zero: false, plus: false, minus: false, space: false };
  for (let name = flagNames[format[at] ?? ""]; name !== undefined; ) {
    flags[name] = true;
    at += 1;
    name = flagNames[format[at] ?? ""];
  }
  const readArgument = (): number | null => {
    if (format[at] !== "[") return null;
    const close = format.indexOf("]", at);
    // Each directive of `%[%[%[…` reads the rest of the format.
    if (close === -1) chargeChars(format.length - at);
    const digits = close === -1 ? "" : format.slice(at + 1, close);
    at = close === -1 ? at + 1 : close + 1;
    return /^\d{1,6}$/.test(digits) ? Number(digits) - 1 : -1;
  };
  const readNumber = (): number | "*" | null => {
    if (format[at] === "*") {
      at += 1;
      return "*";
    }
    const from = at;
    while (isDigit(format[at])) at += 1;
    return at === from ? null : Number(format.slice(from, at));
  };
  let pending = readArgument();
  const width = readNumber();
  const widthArgument = width === "*" ? pending : null;
  if (width === "*") pending = null;
  // An index directly before a number, as in %[3]2d, is an error in Go.
  if (width !== "*" && width !== null && pending !== null) pending = -1;
  let precision: number | "*" | null = null;
  let precisionArgument: number | null = null;
  if (format[at] === "." && at + 1 < format.length) {
    at += 1;
    if (pending !== null) pending = -1;
    const index = readArgument();
    precision = readNumber() ?? 0;
    if (precision === "*") precisionArgument = index;
    else if (index !== null) pending = index;
  }
  pending ??= readArgument();
  const valueArgument = pending;
  const code = format.codePointAt(at);
  const isTooLarge = [width, precision].some((one) => typeof one === "number" && one > widthMax);
  const verb = code === undefined || isTooLarge ? null : String.fromCodePoint(code);
  const end = verb === null ? format.length : at + verb.length;
  return { flags, width, precision, widthArgument, precisionArgument, valueArgument, verb, end };
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}
