import { expect, test } from "bun:test";
import { findTab, readRowSearch } from "./row-search.ts";

test("An address with an operation opens the test panel, for admins only", () => {
  expect(findTab(readRowSearch({ op: "echo", prefill: "r1" }), true)).toBe("test");
  expect(findTab(readRowSearch({ op: "echo" }), false)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "settings" }), false)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "unknown" }), true)).toBe("settings");
});

test("An operation with digits as its key is a text", () => {
  expect(readRowSearch({ op: 7, prefill: "" })).toEqual({ op: "7" });
});

test("Params in the address are an object, and anything else is left out", () => {
  expect(readRowSearch({ op: "get", params: { path: "/" } }).params).toEqual({ path: "/" });
  for (const params of ["/", 7, null, [1], undefined]) {
    expect(readRowSearch({ op: "get", params })).toEqual({ op: "get" });
  }
});

test("The review starts at a positive whole number, or at its beginning", () => {
  expect(readRowSearch({ tab: "operations", offset: 40 }).offset).toBe(40);
  expect(readRowSearch({ tab: "operations", show: "warnings" }).show).toBe("warnings");
  expect(readRowSearch({ tab: "operations", show: "other" })).toEqual({ tab: "operations" });
  for (const offset of [0, -20, 1.5, "40", null]) {
    expect(readRowSearch({ tab: "operations", offset })).toEqual({ tab: "operations" });
  }
});
