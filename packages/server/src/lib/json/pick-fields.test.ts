import { describe, expect, test } from "bun:test";
import { pickFields, pickResult, reachesField } from "./pick-fields.ts";

const value = {
  total: 2,
  items: [
    { title: "A", labels: [{ name: "x", color: "red" }], body: "long" },
    { title: "B", labels: [], body: "longer" },
  ],
  "a.b": { c: 1 },
};

describe("picked fields", () => {
  test.each([
    [["total"], { total: 2 }],
    [["items.*.title"], { items: [{ title: "A" }, { title: "B" }] }],
    [["items.title"], { items: [{ title: "A" }, { title: "B" }] }],
    [["items.1.title"], { items: [{ title: "B" }] }],
    [["items.*.labels.*.name"], { items: [{ labels: [{ name: "x" }] }] }],
    [["total", "items.0.title"], { total: 2, items: [{ title: "A" }] }],
    [["a\\.b.c"], { "a.b": { c: 1 } }],
    [["*.c"], { "a.b": { c: 1 } }],
    [["items", "items.*.title"], { items: value.items }],
  ])("%j keep the structure of the value", (paths, expected) => {
    expect(pickFields(value, paths)).toEqual({ value: expected, missing: [] });
  });

  test("Fields of a list at the top are picked from each item", () => {
    expect(pickFields([{ id: 1, n: 2 }, { id: 3 }], ["id"]).value).toEqual([{ id: 1 }, { id: 3 }]);
  });

  test("A path without a match is named, so that a model can correct it", () => {
    expect(pickResult(value, ["total", "items.*.name"])).toEqual({
      total: 2,
      _missing_fields: ["items.*.name"],
    });
    expect(pickResult([{ id: 1 }], ["name"])).toEqual({ result: [], _missing_fields: ["name"] });
    expect(pickResult("text", ["name"])).toEqual({ _missing_fields: ["name"] });
  });

  test("A member named __proto__ is an ordinary member", () => {
    const sent = JSON.parse('{"__proto__":{"x":1},"y":2}');
    const { value: kept } = pickFields(sent, ["__proto__.x"]);
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"x":1}}');
  });

  test("Lists within lists are not descended into without a step, so that deep nesting costs nothing", () => {
    let nested: unknown = { id: 1 };
    for (let depth = 0; depth < 50_000; depth += 1) nested = [nested];
    expect(pickFields(nested, ["id"])).toEqual({ value: [], missing: ["id"] });
  });
});

test("A path reaches a place if it picks the place, a part of it or something around it", () => {
  expect(reachesField(["items", 0, "body"], ["items.*.body"])).toBe(true);
  expect(reachesField(["items", 0, "body"], ["items.body"])).toBe(true);
  expect(reachesField(["items", 0, "body"], ["items"])).toBe(true);
  expect(reachesField(["items"], ["items.*.body"])).toBe(true);
  expect(reachesField(["items", 0, "body"], ["items.*.title"])).toBe(false);
});
