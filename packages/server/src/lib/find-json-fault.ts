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
const none = Number.POSITIVE_INFINITY;
const unlimited = { depthMax: none, valuesMax: none, longNumberCharsMax: none };

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Reads a text a token at a time. */
class JsonReader {
  readonly #text: string;
  readonly #limits: Required<JsonTextLimits>;
  readonly #nesting = createNesting();
  #at = 0;
  #values = 1;
  #longNumberChars = 0;
  #isInString = false;
  #expected: Expected = "value";
  /** What may follow the string that is read. */
  #afterString: Expected = "comma or end";

  constructor(text: string, limits: JsonTextLimits) {
    this.#text = text;
    this.#limits = { ...unlimited, ...limits };
  }

  /** Reads on until this index. */
  readTo(end: number): JsonFault | null {
    while (this.#at < end) {
      const code = this.#text.charCodeAt(this.#at);
      if (!this.#isInString && isSpace(code)) {
        this.#at += 1;
        continue;
      }
      const fault = this.#isInString ? this.#readString() : this.#readToken(code);
      if (fault !== null) return fault;
    }
    return null;
  }

  isWhole(): boolean {
    return !this.#isInString && this.#nesting.depth() === 0 && this.#expected === "comma or end";
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
        return this.#readEnd(code);
      case "value or end":
        return code === closeBracket ? this.#close(code) : this.#readValue(code);
      case "value":
        return this.#readValue(code);
    }
  }

  #readEnd(code: number): JsonFault | null {
    if (code === closeBrace || code === closeBracket) return this.#close(code);
    if (code !== comma || this.#nesting.depth() === 0) return "syntax";
    this.#at += 1;
    this.#expected = this.#nesting.isInObject() ? "name" : "value";
    return this.#countValue();
  }

  #readValue(code: number): JsonFault | null {
    if (code === quote) return this.#beginString("comma or end");
    if (code === openBrace || code === openBracket) return this.#open(code === openBrace);
    return this.#readPlain();
  }

  #beginString(then: Expected): null {
    this.#at += 1;
    this.#isInString = true;
    this.#afterString = then;
    return null;
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
      return null;
    }
    if (code !== backslash) return this.#at < this.#text.length ? "syntax" : null;
    const chars = countEscape(this.#text, this.#at);
    this.#at += chars;
    return chars === 0 ? "syntax" : null;
  }

  #open(isObject: boolean): JsonFault | null {
    this.#at += 1;
    this.#nesting.open(isObject);
    this.#expected = isObject ? "name or end" : "value or end";
    if (this.#nesting.depth() > this.#limits.depthMax) return "depth";
    return this.#countValue();
  }

  #close(code: number): JsonFault | null {
    const nesting = this.#nesting;
    if (nesting.depth() === 0 || (code === closeBrace) !== nesting.isInObject()) return "syntax";
    this.#at += 1;
    nesting.close();
    this.#expected = "comma or end";
    return null;
  }

  #countValue(): JsonFault | null {
    this.#values += 1;
    return this.#values > this.#limits.valuesMax ? "values" : null;
  }

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
}

/** The open objects and lists, a byte each: a text of megabytes may be nested that deep. */
function createNesting() {
  let isObject = new Uint8Array(64);
  let depth = 0;
  return {
    depth: () => depth,
    isInObject: () => isObject[depth - 1] === 1,
    open(opensObject: boolean): void {
      if (depth === isObject.length) {
        const longer = new Uint8Array(depth * 2);
        longer.set(isObject);
        isObject = longer;
      }
      isObject[depth] = opensObject ? 1 : 0;
      depth += 1;
    },
    close(): void {
      depth -= 1;
    },
  };
}

/** The characters of the escape at an index; 0 if it is none of JSON. */
function countEscape(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code !== letterU) return /["\\/bfnrt]/.test(text.charAt(at + 1)) ? 2 : 0;
  return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
