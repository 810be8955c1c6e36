import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type FailAttribute, splitTag } from "./split-tag.ts";

describe("splitTag", () => {
  test("The names and values of a tag are returned in order", () => {
    expect(splitTag("url;required;desc=a=b;default= x", fail)).toEqual([
      { name: "url", value: null },
      { name: "required", value: null },
      { name: "desc", value: "a=b" },
      { name: "default", value: " x" },
    ]);
    expect(splitTag("", fail)).toEqual([]);
    expect(splitTag(" \n ", fail)).toEqual([]);
  });

  test("Any text can be a value if its semicolons and backslashes are escaped", () => {
    const values = fc.array(fc.string({ unit: fc.constantFrom(..."ab;\\=| é😀") }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(values, (texts) => {
        const wanted = texts.map((text) => `[${text}]`);
        const tag = wanted.map((text) => `desc=${text.replace(/[;\\]/g, "\\$&")}`).join(";");
        expect(splitTag(tag, fail).map(({ value }) => value)).toEqual(wanted);
      }),
      { seed: 5 },
    );
  });
});

const fail: FailAttribute = (attribute, problem) => {
  throw new Error(`${attribute} ${problem}`);
};
