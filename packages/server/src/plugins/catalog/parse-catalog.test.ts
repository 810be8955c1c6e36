import { describe, expect, test } from "bun:test";
import { catalogEntrySchema } from "@hub/contract/plugin-catalog.ts";
import { parseCatalog } from "./parse-catalog.ts";

const entry = { key: "a", name: "A", description: "", version: "1.0.0", assets: {} };

describe("the text of a catalog", () => {
  test("is read entry by entry", async () => {
    const entries = Array.from({ length: 250 }, (_, at) => ({ ...entry, key: `a${at}` }));
    expect(await parseCatalog(JSON.stringify(entries))).toEqual(entries);
  });

  test("is checked up to its first fault only", async () => {
    const checked: unknown[] = [];
    const { safeParse } = catalogEntrySchema;
    catalogEntrySchema.safeParse = (value, params) => {
      checked.push(value);
      return safeParse(value, params);
    };
    try {
      const text = JSON.stringify([entry, ...Array(1000).fill(0)]);
      await expect(parseCatalog(text)).rejects.toThrow("has an invalid entry: 1 must be an object");
      expect(checked).toHaveLength(2);
    } finally {
      catalogEntrySchema.safeParse = safeParse;
    }
  });

  test("may not have a million values, a long entry, or deep nesting", async () => {
    const list = (item: string, count: number) => `[${Array(count).fill(item).join()}]`;
    await expect(parseCatalog(list("0", 1_000_000))).rejects.toThrow("more than 50000 values");
    const long = JSON.stringify([{ ...entry, default_tags: Array(10_000).fill(0) }]);
    await expect(parseCatalog(long)).rejects.toThrow("an entry 0 of more than 16384 characters");
    await expect(parseCatalog("[".repeat(1000))).rejects.toThrow("nested deeper than 32 levels");
    await expect(parseCatalog("{}")).rejects.toThrow("is not a list of plugins");
    await expect(parseCatalog("?")).rejects.toThrow("is not valid JSON");
  });
});
