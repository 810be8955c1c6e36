import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { UnreadBody } from "../streams/unread-body.ts";
import { findPlainJson, tooLargeValue, toPlainBeginning, toPlainJson } from "./plain-json.ts";

const unread = new UnreadBody(Buffer.from("[1]"), { kind: "json" });

describe("toPlainJson", () => {
  test("Plain values are copied, so that later changes have no effect", () => {
    const value = { a: [1, "two", null, true, 2n], big: parseJson("9007199254740993") };
    const plain = toPlainJson(value);
    expect(plain).toEqual(value);
    value.a.push("late");
    expect(plain).not.toEqual(value);
  });

  test("The plain copy has the same text as JSON.stringify", () => {
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

  test("The copy has no toJSON, which could give the mask and the client different texts", () => {
    let asked = 0;
    const sly = { toJSON: () => (asked++ === 0 ? "harmless" : "secret") };
    expect(toJsonText(toPlainJson({ sly }))).toBe('{"sly":"harmless"}');
  });

  test("Getters and proxies are called once", () => {
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

  test("A value that would block the event loop is refused before it is visited", () => {
    let asked = 0;
    const counting = Array.from({ length: 300_000 }, () => ({
      toJSON: () => {
        asked += 1;
        return 1;
      },
    }));
    for (const value of [
      counting,
      "x".repeat(300_000),
      new Uint8Array(200_000),
      new Array(20_000).fill(1),
      [unread],
    ]) {
      expect(findPlainJson(value)).toBe(tooLargeValue);
      expect(() => toPlainJson(value)).toThrow(/so large/);
    }
    expect(asked).toBe(0);
    expect(findPlainJson("x".repeat(200_000))).toHaveLength(200_000);
  });

  test("Cyclic and endlessly nested values are refused with a message", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(() => toPlainJson(cyclic)).toThrow(/cyclic or nested too deeply/);
  });
});

describe("toPlainBeginning", () => {
  const cuts = {
    cutText: (text: string, bytesMax: number) => text.slice(0, bytesMax),
    cutList: (_items: readonly unknown[], end: number) => end,
  };

  test("The beginning has as much as fits, and the rest is not read", () => {
    const value = { text: "x".repeat(50), list: Array.from({ length: 1_000_000 }, (_, id) => id) };
    const beginning = toPlainBeginning(value, 1000, cuts) as typeof value;
    expect(beginning.text).toBe(value.text);
    expect(beginning.list).toEqual(value.list.slice(0, beginning.list.length));
    expect(beginning.list.length).toBeWithin(40, 1000);
    expect(toPlainBeginning("x".repeat(2000), 1000, cuts)).toHaveLength(1000);
  });

  test("Large bytes and unread answers are omitted", () => {
    const left = toPlainBeginning({ unread, bytes: new Uint8Array(2000) }, 1000, cuts);
    expect(left).toEqual({
      unread: { left_out: "The value is too long to show.", bytes: 3 },
      bytes: { left_out: "The value is too long to show.", bytes: 2000 },
    });
  });
});
