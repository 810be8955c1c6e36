import { describe, expect, test } from "bun:test";
import type { ParameterBinding } from "../binding.ts";
import {
  escapeUnreserved,
  listQueryPairs,
  writeHeaderValue,
  writePairs,
  writePathValue,
} from "./write-parameter.ts";

const list = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

function parameter(
  place: ParameterBinding["in"],
  style?: string,
  explode?: boolean,
): ParameterBinding {
  return {
    input: "color",
    name: "color",
    in: place,
    ...(style !== undefined && { style }),
    ...(explode !== undefined && { explode }),
  };
}

describe("values are written as the table of styles in OpenAPI says", () => {
  test.each([
    ["matrix", false, "blue", ";color=blue"],
    ["matrix", false, list, ";color=blue,black,brown"],
    ["matrix", false, object, ";color=R,100,G,200,B,150"],
    ["matrix", true, list, ";color=blue;color=black;color=brown"],
    ["matrix", true, object, ";R=100;G=200;B=150"],
    ["label", false, "blue", ".blue"],
    ["label", false, list, ".blue,black,brown"],
    ["label", true, list, ".blue.black.brown"],
    ["label", true, object, ".R=100.G=200.B=150"],
    ["simple", false, "blue", "blue"],
    ["simple", false, list, "blue,black,brown"],
    ["simple", false, object, "R,100,G,200,B,150"],
    ["simple", true, object, "R=100,G=200,B=150"],
    [undefined, undefined, list, "blue,black,brown"],
  ])("in a path: %s, explode %p, %j is %s", (style, explode, value, expected) => {
    expect(writePathValue(parameter("path", style, explode), value)).toBe(expected);
  });

  test.each([
    ["form", true, "blue", "color=blue"],
    ["form", true, "", "color="],
    ["form", true, list, "color=blue&color=black&color=brown"],
    ["form", true, object, "R=100&G=200&B=150"],
    ["form", false, list, "color=blue,black,brown"],
    ["form", false, object, "color=R,100,G,200,B,150"],
    ["spaceDelimited", false, list, "color=blue%20black%20brown"],
    ["pipeDelimited", false, list, "color=blue%7Cblack%7Cbrown"],
    ["deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
    [
      "deepObject",
      true,
      { a: { b: [1, "x y"] } },
      "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D=x%20y",
    ],
    [undefined, undefined, list, "color=blue&color=black&color=brown"],
    [undefined, undefined, true, "color=true"],
    [undefined, undefined, ["a,b", "c&d=e#f"], "color=a%2Cb&color=c%26d%3De%23f"],
  ])("in a query: %s, explode %p, %j is %s", (style, explode, value, expected) => {
    const pairs = listQueryPairs(parameter("query", style, explode), value);
    expect(writePairs(encodeURIComponent, pairs)).toBe(expected);
  });

  test.each([
    [false, "blue", "blue"],
    [false, list, "blue,black,brown"],
    [false, object, "R,100,G,200,B,150"],
    [true, object, "R=100,G=200,B=150"],
  ])("in a header: explode %p, %j is %s", (explode, value, expected) => {
    expect(writeHeaderValue(parameter("header", "simple", explode), value)).toBe(expected);
  });

  test("Reserved characters stay if the document allows them, but not those that end a value", () => {
    expect(escapeUnreserved("a/b?c:d@e,f g&h#i+j=k%")).toBe("a/b?c:d@e,f%20g%26h%23i%2Bj%3Dk%25");
  });

  test("Numbers keep their digits", () => {
    const big = JSON.rawJSON("12345678901234567890");
    expect(writePathValue(parameter("path"), big)).toBe("12345678901234567890");
  });
});
