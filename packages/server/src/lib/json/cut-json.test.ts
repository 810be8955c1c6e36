import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { cutJson, cutTextAtCharacter } from "./cut-json.ts";

const cut = (value: unknown, bytesMax: number) => cutJson(value, bytesMax, cutTextAtCharacter);

describe("cutJson", () => {
  test("A value that fits is returned unchanged", () => {
    const value = { a: [1, 2, 3] };
    expect(cut(value, 100)).toBe(value);
  });

  test("A part that a value has often is measured once", () => {
    let reads = 0;
    const part = Object.defineProperty({ text: "" }, "text", {
      enumerable: true,
      get() {
        reads += 1;
        return "x".repeat(1_000);
      },
    });
    cut(Array(500).fill(part), 100_000_000);
    expect(reads).toBe(1);
  });

  test("The end of an array is cut, with a note about the kept items", () => {
    const value = {
      items: Array.from({ length: 5000 }, (_, id) => ({ id, text: "x".repeat(20) })),
    };
    const kept = cut(value, 16_384) as typeof value & { _truncated: { cuts: unknown[] } };
    expect(Buffer.byteLength(toJsonText(kept))).toBeLessThanOrEqual(16_384);
    expect(kept.items[0]).toEqual({ id: 0, text: "x".repeat(20) });
    expect(kept._truncated.cuts).toEqual([{ path: "items", kept: kept.items.length, of: 5000 }]);
  });

  test("Small members beside a long text are kept completely", () => {
    const kept = cut({ id: 7, ok: true, text: "é".repeat(100_000) }, 4096) as Record<
      string,
      unknown
    >;
    expect(kept.id).toBe(7);
    expect(kept.ok).toBe(true);
    expect(Buffer.byteLength(toJsonText(kept))).toBeLessThanOrEqual(4096);
  });

  test("Of an object with thousands of members the first ones are kept", () => {
    const value = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, i]));
    const kept = cut(value, 8192) as Record<string, unknown>;
    expect(kept.key0).toBe(0);
    expect(Object.keys(kept).length).toBeGreaterThan(100);
  });

  test("A cut never splits a character", () => {
    for (let bytesMax = 2; bytesMax < 60; bytesMax += 1) {
      const text = cutTextAtCharacter("😀".repeat(20), bytesMax);
      expect(text.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(Math.max(bytesMax, 2));
    }
  });

  test("A cut value that is not an object is put under result", () => {
    expect(Object.keys(cut("y".repeat(9000), 2000) as object)).toEqual(["result", "_truncated"]);
    expect(Object.keys(cut(["y".repeat(9000)], 2000) as object)).toEqual(["result", "_truncated"]);
  });

  test("Values of every structure stay valid JSON within the limit", () => {
    const shapes = [
      Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`key${i}`, i])),
      Array.from({ length: 50 }, () => Array.from({ length: 500 }, (_, i) => `"quoted" ${i}`)),
      {
        deep: { deeper: { deepest: "\u0000".repeat(20_000) } },
        big: parseJson("9007199254740993"),
      },
      { ["k".repeat(30_000)]: 1, small: 2 },
    ];
    for (const shape of shapes) {
      const text = toJsonText(cut(shape, 8192));
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
      expect(JSON.parse(text)).toHaveProperty("_truncated");
    }
  });
});
