import { describe, expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { hasLongList, quoteText, writeLists } from "./write-lists.ts";

const makeItems = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `"Item" ${id}\n` }));

function countPauses() {
  const pauses = { count: 0 };
  const yieldToEventLoop = async () => {
    pauses.count += 1;
  };
  return { pauses, yieldToEventLoop };
}

describe("lists", () => {
  test.each([
    0, 1, 1_000, 1_001, 2_500,
  ])("A list of %d items is written like by JSON.stringify", async (count) => {
    const value = { tools: makeItems(count), total: count, 'a "key"': null, none: undefined };
    const { yieldToEventLoop } = countPauses();
    const text = await writeLists({ yieldToEventLoop, seal: (part) => part }, value);
    expect(text).toBe(JSON.stringify(value));
  });

  test("Other work runs after each thousand items", async () => {
    const { pauses, yieldToEventLoop } = countPauses();
    const deps = { yieldToEventLoop, seal: (part: Json) => part };
    await writeLists(deps, { tools: makeItems(30_000) });
    expect(pauses.count).toBe(29);
    await writeLists(deps, { tools: makeItems(1_000) });
    expect(pauses.count).toBe(29);
  });

  test("Every portion is sealed", async () => {
    const { yieldToEventLoop } = countPauses();
    const seal = (part: Json) => (Array.isArray(part) ? part.map(() => "sealed") : "sealed");
    const text = await writeLists({ yieldToEventLoop, seal }, { tools: makeItems(2_001), a: "b" });
    expect(JSON.parse(text)).toEqual({ tools: Array(2_001).fill("sealed"), a: "sealed" });
  });

  test("Only lists of more than a thousand items are long", () => {
    expect(hasLongList({ tools: makeItems(1_000) })).toBeFalse();
    expect(hasLongList({ tools: makeItems(1_001) })).toBeTrue();
    expect(hasLongList(makeItems(2_000))).toBeFalse();
  });
});

describe("texts", () => {
  const portion = 256 * 1024;
  test.each<[string, string]>([
    ["short", 'a "text"\n'],
    ["long", '"\\\n'.repeat(portion)],
    ["long, with a character across the end of a portion", `${"a".repeat(portion - 1)}😀b`],
    ["long, with half a character at the end of a portion", `${"a".repeat(portion - 1)}\ud83dbc`],
    ["of exactly two portions", "a".repeat(2 * portion)],
  ])("A text that is %s is written like by JSON.stringify", async (_, text) => {
    const { yieldToEventLoop } = countPauses();
    // Not toBe, which prints both texts.
    expect((await quoteText({ yieldToEventLoop }, text)) === JSON.stringify(text)).toBeTrue();
  });

  test("Other work runs after each portion of a text", async () => {
    const { pauses, yieldToEventLoop } = countPauses();
    await quoteText({ yieldToEventLoop }, "a".repeat(10 * portion));
    expect(pauses.count).toBe(9);
  });
});
