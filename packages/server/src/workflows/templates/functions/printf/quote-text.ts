const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Whether a character is shown: Go's `unicode.IsPrint`. */
export function isPrintable(char: string): boolean {
  return printable.test(char);
}

const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/** Text as a constant of Go in quotes. */
export function quoteText(
  text: string,
  { quote = '"', isAscii = false }: { quote?: '"' | "'"; isAscii?: boolean } = {},
): string {
  let quoted = "";
  for (const char of text.toWellFormed()) quoted += escapeChar(char, quote, isAscii);
  return `${quote}${quoted}${quote}`;
}

function escapeChar(char: string, quote: string, isAscii: boolean): string {
  const code = char.codePointAt(0) ?? 0;
  if (char === quote) return `\\${char}`;
  const escaped = Object.hasOwn(escapes, char) ? escapes[char] : undefined;
  if (escaped !== undefined) return escaped;
  if (code < 0x7f ? code >= 0x20 : !isAscii && isPrintable(char)) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${toHex(code, 2)}`;
  return code > 0xffff ? `\\U${toHex(code, 8)}` : `\\u${toHex(code, 4)}`;
}

function toHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

/** Whether text can stand between backquotes. */
export function canBackquote(text: string): boolean {
  return !/[\p{Cc}`\ufeff\ufffd]/u.test(text.replaceAll("\t", ""));
}
