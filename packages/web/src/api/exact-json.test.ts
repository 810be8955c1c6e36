import { expect, test } from "bun:test";
import { ExactNumber, parseExactJson } from "./exact-json.ts";

test.each([
  "9007199254740993",
  "-123456789012345678901234567890",
  "0.1234567890123456789",
  "1e400",
])("The number %s keeps its digits from the answer to the request, in any place", (digits) => {
  const text = `{"id":${digits},"list":[1,${digits}],"text":"${digits}"}`;
  const value = parseExactJson(text);
  expect(JSON.stringify(value)).toBe(text);
  expect(JSON.stringify(value, null, 2)).toContain(`"id": ${digits},`);
  expect(String(Object(value).id)).toBe(digits);
});

test("A number that is not rounded stays a number", () => {
  const text = '{"a":1,"b":9007199254740991,"c":12.50000000000000000,"d":-0.25}';
  expect(parseExactJson(text)).toEqual({ a: 1, b: 9007199254740991, c: 12.5, d: -0.25 });
  expect(parseExactJson("12345678901234567890")).toEqual(new ExactNumber("12345678901234567890"));
});

test("Text that is not JSON is refused, with long numbers and without", () => {
  for (const text of ["{", "[12345678901234567890", ""]) {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  }
});
