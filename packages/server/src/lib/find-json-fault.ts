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
  const reader = createReader(text, limits);
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

function createReader(
  text: string,
  {
    depthMax = Number.POSITIVE_INFINITY,
    valuesMax = Number.POSITIVE_INFINITY,
    longNumberCharsMax = Number.POSITIVE_INFINITY,
  }: JsonTextLimits,
) {
  const nesting = createNesting();
  let at = 0;
  let values = 1;
  let longNumberChars = 0;
  let isInString = false;
  let expected: Expected = "value";
  let afterString: Expected = "comma or end";

  function readString(): JsonFault | null {
    plainText.lastIndex = at;
    plainText.test(text);
    at = plainText.lastIndex;
    const code = text.charCodeAt(at);
    if (code === quote) {
      at += 1;
      isInString = false;
      expected = afterString;
    } else if (code === backslash) {
      const chars = countEscape(text, at);
      if (chars === 0) return "syntax";
      at += chars;
    } else if (at < text.length) return "syntax";
    return null;
  }

  function beginString(then: Expected): null {
    at += 1;
    isInString = true;
    afterString = then;
    return null;
  }

  function open(isObject: boolean): JsonFault | null {
    at += 1;
    nesting.open(isObject);
    expected = isObject ? "name or end" : "value or end";
    if (nesting.depth() > depthMax) return "depth";
    return countValue();
  }

  function close(code: number): JsonFault | null {
    if (nesting.depth() === 0 || (code === closeBrace) !== nesting.isInObject()) return "syntax";
    at += 1;
    nesting.close();
    expected = "comma or end";
    return null;
  }

  function countValue(): JsonFault | null {
    values += 1;
    return values > valuesMax ? "values" : null;
  }

  function readPlain(): JsonFault | null {
    expected = "comma or end";
    const word = words.find((one) => text.startsWith(one, at));
    if (word !== undefined) {
      at += word.length;
      return null;
    }
    numberText.lastIndex = at;
    if (!numberText.test(text)) return "syntax";
    const chars = numberText.lastIndex - at;
    at = numberText.lastIndex;
    if (chars >= longNumberCharsMin) longNumberChars += chars;
    return longNumberChars > longNumberCharsMax ? "long numbers" : null;
  }

  function readToken(code: number): JsonFault | null {
    switch (expected) {
      case "name or end":
        if (code === closeBrace) return close(code);
        return code === quote ? beginString("colon") : "syntax";
      case "name":
        return code === quote ? beginString("colon") : "syntax";
      case "colon":
        if (code !== colon) return "syntax";
        at += 1;
        expected = "value";
        return null;
      case "comma or end":
        if (code === closeBrace || code === closeBracket) return close(code);
        if (code !== comma || nesting.depth() === 0) return "syntax";
        at += 1;
        expected = nesting.isInObject() ? "name" : "value";
        return countValue();
      case "value or end":
        return code === closeBracket ? close(code) : readValue(code);
      case "value":
        return readValue(code);
    }
  }

  function readValue(code: number): JsonFault | null {
    if (code === quote) return beginString("comma or end");
    if (code === openBrace || code === openBracket) return open(code === openBrace);
    return readPlain();
  }

  return {
    /** Reads on, a token at a time, until this index. */
    readTo(end: number): JsonFault | null {
      while (at < end) {
        const code = text.charCodeAt(at);
        if (!isInString && isSpace(code)) {
          at += 1;
          continue;
        }
        const fault = isInString ? readString() : readToken(code);
        if (fault !== null) return fault;
      }
      return null;
    },
    isWhole: () => !isInString && nesting.depth() === 0 && expected === "comma or end",
  };
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
