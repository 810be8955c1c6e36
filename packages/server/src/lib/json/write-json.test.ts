import { describe, expect, test } from "bun:test";
import { parseJson } from "@hub/connector";
import { UnreadBody } from "../streams/unread-body.ts";
import { writeJson } from "./write-json.ts";

/** Writes a value and counts the turns of the event loop. */
async function write(value: unknown) {
  let turns = 0;
  const deps = {
    async yieldToEventLoop() {
      turns += 1;
    },
  };
  return { ...(await writeJson(deps, value)), turns };
}

const shared = (depth: number): unknown => {
  let value: unknown = "leaf";
  for (let level = 0; level < depth; level += 1) value = [value, value];
  return value;
};

describe("writeJson", () => {
  test("The written text is the same as that of JSON.stringify", async () => {
    const values: unknown[] = [
      { at: new Date(0), none: undefined, kept: 1 },
      [undefined, () => 1, Number.NaN, -0, 1e21, Symbol("s"), true, null],
      { map: new Map([[1, 2]]), nested: { toJSON: () => ["once"] }, none() {} },
      JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
      [Object("boxed"), Object(1), Object(true), new Uint8Array([1, 2]), Buffer.from("a")],
      new Proxy([1, { a: 2 }], {}),
      [{}, [], "", '"\\\u2028', { a: { b: [[]] } }],
      undefined,
      "text",
    ];
    for (const value of values) {
      expect((await write(value)).text).toBe(JSON.stringify(value) ?? "null");
    }
  });

  test("Numbers beyond 2^53 keep their digits", async () => {
    const { text } = await write([2n ** 64n, parseJson("9007199254740993")]);
    expect(text).toBe("[18446744073709551616,9007199254740993]");
  });

  test("Long texts and unread answers are returned with their path", async () => {
    const long = "x".repeat(100_000);
    const unread = new UnreadBody(Buffer.from("[1]"), { kind: "json" });
    const { text, parts } = await write({ list: [1, { body: unread }], "": long });
    expect(text).toBe('{"list":[1,{"body":null}],"":null}');
    expect(parts).toEqual([
      { path: ["list", 1, "body"], content: unread },
      { path: [""], content: long },
    ]);
    expect((await write(long)).parts).toEqual([{ path: [], content: long }]);
  });

  test("The event loop gets control every few thousand values or 64 KiB", async () => {
    for (const many of [10_000, 100_000]) {
      const { turns } = await write(Array.from({ length: many }, (_, id) => ({ id })));
      expect(turns).toBeGreaterThan(many / 2000);
    }
    const { turns } = await write(Array.from({ length: 100 }, () => "x".repeat(60_000)));
    expect(turns).toBeGreaterThan(90);
  });

  test.each([
    ["parts that are shared without end", shared(60)],
    ["an array that is long and empty", new Array(2 ** 32 - 1)],
    ["bytes", new Uint8Array(8 * 1024 * 1024)],
    ["a text of 50 KB, ten thousand times", new Array(10_000).fill("x".repeat(50_000))],
  ])("A value that would take too long to write is refused: %s", async (_, value) => {
    await expect(write(value)).rejects.toThrow(/so large/);
  });

  test("Cyclic and endlessly nested values are refused with a message", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const endless = { toJSON: () => ({ ...endless }) };
    await expect(write(cyclic)).rejects.toThrow(/cyclic or nested too deeply/);
    await expect(write(endless)).rejects.toThrow(/cyclic or nested too deeply/);
  });
});
