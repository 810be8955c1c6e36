/**
 * A number of JSON that a JavaScript number would round. Browsers that cannot read its digits (before
 * Chrome 114, Firefox 135 and Safari 18.4) round it.
 */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** `JSON.stringify` writes the digits. */
  toJSON(): unknown {
    return exactJson.rawJSON?.(this.digits) ?? Number(this.digits);
  }

  toString(): string {
    return this.digits;
  }
}

// Part of ES2026 that TypeScript's library does not declare yet.
const exactJson = JSON as JSON & { rawJSON?(text: string): unknown };

/** Only a number with this many digits or with an exponent can be rounded. */
const mayBeRounded = /(?:^|[:,[\s])-?(?:[\d.]{16}|\d[\d.]*[eE])/;

/** Parses JSON. A number that JavaScript would round becomes an `ExactNumber`. Throws SyntaxError. */
export function parseExactJson(text: string): unknown {
  // The reviver costs a call per value.
  if (!mayBeRounded.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== "number" || source === undefined) return value;
    return isSameNumber(String(value), source) ? value : new ExactNumber(source);
  });
}

/** Whether two decimals without an exponent are equal. With one, only the same text is. */
function isSameNumber(written: string, source: string): boolean {
  return written === source || trimZeros(written) === trimZeros(source);
}

function trimZeros(text: string): string {
  if (!text.includes(".") || /[eE]/.test(text)) return text;
  let end = text.length;
  while (text[end - 1] === "0") end -= 1;
  return text.slice(0, text[end - 1] === "." ? end - 1 : end);
}
