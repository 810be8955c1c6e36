import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { toPlainJson } from "./plain-json.ts";

describe("toPlainJson", () => {
  test("copies what is plain already, so that nobody changes it afterwards", () => {
    const value = { a: [1, "two", null, true, 2n], big: parseJson("9007199254740993") };
    const plain = toPlainJson(value);
    expect(plain).toEqual(value);
    value.a.push("late");
    expect(plain).not.toEqual(value);
  });

  test("writes the same text as JSON.stringify", () => {
    const values: unknown[] = [
      { at: new Date(0), url: new URL("https://user:secret@host/?token=secret"), none: undefined },
      [undefined, () => 1, Number.NaN, Number.POSITIVE_INFINITY, Symbol("s")],
      { map: new Map([[1, 2]]), nested: { toJSON: () => ["once"] } },
      JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
      [Object("boxed"), Object(1), Object(true), new Uint8Array([1, 2]), Buffer.from("a")],
      Object.assign(new (class Row {})(), { own: 1 }),
      new Proxy([1, { a: 2 }], {}),
      new Array(3),
    ];
    for (const value of values) expect(toJsonText(toPlainJson(value))).toBe(JSON.stringify(value));
    expect(toPlainJson(undefined)).toBeNull();
  });

  test("leaves no toJSON that could show masks one text and the client another", () => {
    let asked = 0;
    const sly = { toJSON: () => (asked++ === 0 ? "harmless" : "secret") };
    expect(toJsonText(toPlainJson({ sly }))).toBe('{"sly":"harmless"}');
  });

  test("asks getters and proxies once", () => {
    let asked = 0;
    const answer = () => (asked++ === 0 ? "harmless" : "secret");
    const getter = Object.defineProperty({}, "sly", { enumerable: true, get: answer });
    const first = toPlainJson(getter);
    expect([JSON.stringify(first), JSON.stringify(first)]).toEqual(
      Array(2).fill('{"sly":"harmless"}'),
    );
    asked = 0;
    const proxy = toPlainJson(
      new Proxy({ sly: "" }, { get: (_, key) => key === "sly" && answer() }),
    );
    expect([JSON.stringify(proxy), JSON.stringify(proxy)]).toEqual(
      Array(2).fill('{"sly":"harmless"}'),
    );
  });

  const shared = (depth: number): unknown => {
    let value: unknown = "leaf";
    for (let level = 0; level < depth; level += 1) value = [value, value];
    return value;
  };

  test.each([
    ["parts that are shared without end", shared(60)],
    ["an array that is long and empty", new Array(2 ** 32 - 1)],
    ["bytes", new Uint8Array(8 * 1024 * 1024)],
    ["a long text, many times", new Array(1_000).fill("x".repeat(1_000_000))],
    ["a long text", "x".repeat(129 * 1024 * 1024)],
  ])("refuses what could not be written in any time: %s", (_, value) => {
    expect(() => toPlainJson(value)).toThrow(/so large/);
  });

  test("takes tens of MiB, for they can be cut", () => {
    expect(toPlainJson("x".repeat(60 * 1024 * 1024))).toHaveLength(60 * 1024 * 1024);
    expect(toPlainJson(new Array(1_000_000).fill({}))).toHaveLength(1_000_000);
  });

  test("refuses cyclic values and endless nesting with a sentence", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(() => toPlainJson(cyclic)).toThrow(/cyclic or nested too deeply/);
  });
});
