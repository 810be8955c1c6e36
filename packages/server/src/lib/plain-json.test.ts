import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { toPlainJson } from "./plain-json.ts";

describe("toPlainJson", () => {
  test("keeps the identity of what is plain already", () => {
    const value = { a: [1, "two", null, true], big: parseJson("9007199254740993") };
    expect(toPlainJson(value)).toBe(value);
  });

  test("writes the same text as JSON.stringify", () => {
    const values: unknown[] = [
      { at: new Date(0), url: new URL("https://user:secret@host/?token=secret"), none: undefined },
      [undefined, () => 1, Number.NaN, Number.POSITIVE_INFINITY, Symbol("s")],
      { map: new Map([[1, 2]]), nested: { toJSON: () => ["once"] } },
      JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
    ];
    for (const value of values) expect(toJsonText(toPlainJson(value))).toBe(JSON.stringify(value));
    expect(toPlainJson(undefined)).toBeNull();
  });

  test("leaves no toJSON that could show masks one text and the client another", () => {
    let asked = 0;
    const sly = { toJSON: () => (asked++ === 0 ? "harmless" : "secret") };
    expect(toJsonText(toPlainJson({ sly }))).toBe('{"sly":"harmless"}');
  });

  test("refuses cyclic values and endless nesting with a sentence", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(() => toPlainJson(cyclic)).toThrow(/cyclic or nested too deeply/);
  });
});
