/** Limits of a JSON text; what is absent has none. */
export type JsonTextLimits = {
  depthMax?: number;
  /** Counted as `scanJson` does: each bracket that opens, and each comma. */
  valuesMax?: number;
  /** Characters that numbers of more than 32 characters have together: each of them costs as much as a short number. */
  longNumberCharsMax?: number;
};

export type JsonFault = "syntax" | "depth" | "values" | "long numbers";

type Deps = { yieldToEventLoop: () => Promise<void> };

/** Some five milliseconds. */
const stepChars = 512 * 1024;

/**
 * Why a text is no JSON, or too expensive to parse; null if it is neither. It accepts what `JSON.parse` does, builds nothing,
 * and gives the event loop a turn after each half MiB. Nesting of any depth costs no more than other text.
 */
export async function findJsonFault(
  { yieldToEventLoop }: Deps,
  text: string,
  limits: JsonTextLimits = {},
): Promise<JsonFault | null> {
  const reader = new JsonReader(text, limits);
  for (let end = stepChars; end < text.length; end += stepChars) {
    const fault = reader.readTo(end);
    if (fault !== null) return fault;
    await yieldToEventLoop();
  }
  return reader.readTo(text.length) ?? (reader.isWhole() ? null : "syntax");
}

/** What may follow in the text. */
type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

const numberText = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** All but quotes, backslashes and control characters. */
const plainText = /[ !#-[\]-\uffff]*/y;
const longNumberCharsMin = 33;
const words = ["true", "false", "null"];

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** One text as it is read. It checks what follows what, which `scanJson` does not. */
class JsonReader {
  readonly #text: string;
  readonly #limits: Required<JsonTextLimits>;
  readonly #nesting = new Nesting();
  #at = 0;
  #values = 1;
  #longNumberChars = 0;
  #isInString = false;
  #expected: Expected = "value";
  #afterString: Expected = "comma or end";

  constructor(
    text: string,
    {
      depthMax = Number.POSITIVE_INFINITY,
      valuesMax = Number.POSITIVE_INFINITY,
      longNumberCharsMax = Number.POSITIVE_INFINITY,
    }: JsonTextLimits,
  ) {
    this.#text = text;
    this.#limits = { depthMax, valuesMax, longNumberCharsMax };
  }

  /** Reads on, a token at a time, until this index. */
  readTo(end: number): JsonFault | null {
    const text = this.#text;
    while (this.#at < end) {
      const code = text.charCodeAt(this.#at);
      if (!this.#isInString && isSpace(code)) {
        this.#at = findSpaceEnd(text, this.#at + 1, end);
        continue;
      }
      const fault = this.#isInString ? this.#readString() : this.#readToken(code);
      if (fault !== null) return fault;
    }
    return null;
  }

  isWhole(): boolean {
    return !this.#isInString && this.#nesting.depth === 0 && this.#expected === "comma or end";
  }

  #readString(): JsonFault | null {
    plainText.lastIndex = this.#at;
    plainText.test(this.#text);
    this.#at = plainText.lastIndex;
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) {
      this.#at += 1;
      this.#isInString = false;
      this.#expected = this.#afterString;
    } else if (code === backslash) {
      const chars = countEscape(this.#text, this.#at);
      if (chars === 0) return "syntax";
      this.#at += chars;
    } else if (this.#at < this.#text.length) return "syntax";
    return null;
  }

  #readToken(code: number): JsonFault | null {
    switch (this.#expected) {
      case "name or end":
        if (code === closeBrace) return this.#close(code);
        return code === quote ? this.#beginString("colon") : "syntax";
      case "name":
        return code === quote ? this.#beginString("colon") : "syntax";
      case "colon":
        if (code !== colon) return "syntax";
        this.#at += 1;
        this.#expected = "value";
        return null;
      case "comma or end":
        if (code === closeBrace || code === closeBracket) return this.#close(code);
        return code === comma ? this.#readComma() : "syntax";
      case "value or end":
        return code === closeBracket ? this.#close(code) : this.#readValue(code);
      case "value":
        return this.#readValue(code);
    }
  }

  #readComma(): JsonFault | null {
    if (this.#nesting.depth === 0) return "syntax";
    this.#at += 1;
    this.#expected = this.#nesting.isInObject() ? "name" : "value";
    return this.#countValue();
  }

  #readValue(code: number): JsonFault | null {
    if (code === quote) return this.#beginString("comma or end");
    if (code === openBrace || code === openBracket) return this.#open(code === openBrace);
    return this.#readPlain();
  }

  /** Reads a number, `true`, `false` or `null`. */
  #readPlain(): JsonFault | null {
    this.#expected = "comma or end";
    const word = words.find((one) => this.#text.startsWith(one, this.#at));
    if (word !== undefined) {
      this.#at += word.length;
      return null;
    }
    numberText.lastIndex = this.#at;
    if (!numberText.test(this.#text)) return "syntax";
    const chars = numberText.lastIndex - this.#at;
    this.#at = numberText.lastIndex;
    if (chars >= longNumberCharsMin) this.#longNumberChars += chars;
    return this.#longNumberChars > this.#limits.longNumberCharsMax ? "long numbers" : null;
  }

  #beginString(then: Expected): null {
    this.#at += 1;
    this.#isInString = true;
    this.#afterString = then;
    return null;
  }

  #open(isObject: boolean): JsonFault | null {
    this.#at += 1;
    this.#nesting.open(isObject);
    this.#expected = isObject ? "name or end" : "value or end";
    return this.#nesting.depth > this.#limits.depthMax ? "depth" : this.#countValue();
  }

  #close(code: number): JsonFault | null {
    if (this.#nesting.depth === 0 || (code === closeBrace) !== this.#nesting.isInObject()) {
      return "syntax";
    }
    this.#at += 1;
    this.#nesting.close();
    this.#expected = "comma or end";
    return null;
  }

  #countValue(): JsonFault | null {
    this.#values += 1;
    return this.#values > this.#limits.valuesMax ? "values" : null;
  }
}

/** The open objects and lists, a byte each: a text of megabytes may be nested that deep. */
class Nesting {
  #isObject = new Uint8Array(64);
  #depth = 0;

  get depth(): number {
    return this.#depth;
  }

  isInObject(): boolean {
    return this.#isObject[this.#depth - 1] === 1;
  }

  open(opensObject: boolean): void {
    if (this.#depth === this.#isObject.length) {
      const longer = new Uint8Array(this.#depth * 2);
      longer.set(this.#isObject);
      this.#isObject = longer;
    }
    this.#isObject[this.#depth] = opensObject ? 1 : 0;
    this.#depth += 1;
  }

  close(): void {
    this.#depth -= 1;
  }
}

/** The characters of the escape at an index; 0 if it is none of JSON. */
function countEscape(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code !== letterU) return /["\\/bfnrt]/.test(text.charAt(at + 1)) ? 2 : 0;
  return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
}

function findSpaceEnd(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
