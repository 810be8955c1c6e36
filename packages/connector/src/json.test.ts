import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { findNumberText, parseJson, toJsonText } from "./json.ts";

describe("parseJson and toJsonText", () => {
  test("A number that a JavaScript number represents exactly becomes one", () => {
    expect(parseJson('{"a":1,"b":-2.5,"c":1e3,"d":9007199254740991}')).toEqual({
      a: 1,
      b: -2.5,
      c: 1000,
      d: 9007199254740991,
    });
  });

  test("A number with unnecessary zeros becomes a JavaScript number", () => {
    const text = "[0.00000000000000012345, 0.0000000000000000, 12.500000000000000000, 0.0012e-3]";
    expect(parseJson(text)).toEqual([0.00000000000000012345, 0, 12.5, 0.0000012]);
  });

  test.each([
    "9007199254740993",
    "1180591620717411303424",
    "1000000000000000019884624838656",
    "12345678.901234567890",
    "0.1234567890123456789",
    "1e400",
    "1e-400",
    "-1.23456e-320",
  ])("The number %s keeps its digits", (digits) => {
    expect(toJsonText(parseJson(`{"n":[${digits}]}`))).toBe(`{"n":[${digits}]}`);
    expect(findNumberText(parseJson(digits))).toBe(digits);
  });

  test("A long number inside a text stays text", () => {
    const text = '{"at":"1732098765123456789","id":"12345678901234567e5"}';
    expect(toJsonText(parseJson(text))).toBe(text);
  });

  test("Parsing and writing any JSON keeps its value", () => {
    const digits = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.stringMatching(/^(\.\d{1,25})?(e-?\d{1,3})?$/),
      )
      .map(([whole, rest]) => `${whole}${rest}`)
      .filter((text) => !text.startsWith("0e") && toScaled(text) !== "0");
    fc.assert(
      fc.property(digits, (text) => {
        expect(toScaled(toJsonText(parseJson(text)))).toBe(toScaled(text));
      }),
      { seed: 1 },
    );
  });

  test("A number that is written as JavaScript does is one, in any notation", () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    const notations = fc.constantFrom(
      (value: number) => String(value),
      (value: number) => value.toExponential().replace("e", "E"),
      (value: number) =>
        String(value)
          .replace(/^(-?)([\d.]+)/, "$10$2")
          .replace(/^(-?)0(?=\d)/, "$1"),
      (value: number) =>
        /[.]/.test(String(value)) ? String(value).replace(/e|$/, "000$&") : "0.0",
    );
    fc.assert(
      fc.property(numbers, notations, (value, write) => {
        expect(parseJson(write(value))).toBe(JSON.parse(write(value)));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("Numbers with more digits than are kept are not written again to be compared", () => {
    const written = spyOn(globalThis, "String");
    try {
      const text = `[${Array(50)
        .fill(`0.${"123456789".repeat(11)}`)
        .join(",")}]`;
      const parsed = parseJson(text);
      const count = written.mock.calls.length;
      parseJson("12345678901234567e-300");
      expect([count, written.mock.calls.length]).toEqual([0, 1]);
      expect(toJsonText(parsed)).toBe(text);
    } finally {
      written.mockRestore();
    }
  });

  test("A number with very many digits keeps them", () => {
    for (const text of [`1${"0".repeat(500)}`, `1${"0".repeat(1_000_000)}1`]) {
      expect(toJsonText(parseJson(text))).toBe(text);
    }
  });

  test("A bigint is written as its digits, and other values without JSON as null", () => {
    expect(toJsonText({ n: 2n ** 70n })).toBe('{"n":1180591620717411303424}');
    expect(toJsonText(undefined)).toBe("null");
  });

  test("findNumberText returns null for values that are not numbers", () => {
    expect(findNumberText(3)).toBe("3");
    expect(findNumberText(3n)).toBe("3");
    expect(findNumberText("3")).toBeNull();
    expect(findNumberText(null)).toBeNull();
  });
});

/** A decimal as an exact multiple of 10^-1100, computed independently of the tested code. */
function toScaled(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = BigInt(whole + fraction);
  return String(digits * 10n ** BigInt(1100 + Number(exponent) - fraction.length));
}

describe("half of a surrogate pair", () => {
  test.each<[string, unknown, string]>([
    ["the first half", "\ud83d x", '"\ufffd x"'],
    ["the second half", "x \ude00", '"x \ufffd"'],
    ["halves in the wrong order", "\ude00\ud83d", '"\ufffd\ufffd"'],
    ["a half before a pair", "\ud83d\ud83d\ude00", '"\ufffd\ud83d\ude00"'],
    ["a half in a name", { "a\udfff": 1 }, '{"a\ufffd":1}'],
    ["a half in a list", ["\ud800", 1], '["\ufffd",1]'],
    ["a half after a backslash", "\\\ud800", '"\\\\\ufffd"'],
    ["a half beside a bigint", ["\udbff", 1n], '["\ufffd",1]'],
    ["a half beside an escape", "\n\ud800\u0000", '"\\n\ufffd\\u0000"'],
    ["a half after words that look like it", "\\ud800 \ud800", '"\\\\ud800 \ufffd"'],
  ])("%s is written as U+FFFD", (_, value, text) => {
    expect(toJsonText(value)).toBe(text);
    expect(toJsonText(value).isWellFormed()).toBe(true);
  });

  test.each([
    "\ud83d\ude00",
    "\\ud83d",
    "\\\\ud83d",
    '\\"\\ud83d',
    "\ufffd",
    "\ud7ff\ue000",
  ])("A text without one is not changed: %j", (text) => {
    expect(toJsonText(text)).toBe(JSON.stringify(text));
    expect(JSON.parse(toJsonText({ [text]: [text] }, 2))).toEqual({ [text]: [text] });
  });

  test("The time for a long text is linear, also for one of backslashes", () => {
    for (const part of ["\\ud", "\\", "\ud800", "\\\ud800"]) {
      const value = part.repeat(200_000);
      expect(JSON.parse(toJsonText(value))).toBe(value.toWellFormed());
    }
  });
});
