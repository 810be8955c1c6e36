import { expect, test } from "bun:test";
import { isLimited, mayGroup, readRunFilters } from "./run-filters.ts";

test("The filters of an address are read, and what is not understood is left out", () => {
  const search = {
    status: "error",
    source: "test",
    operation: "get",
    connector: "http",
    error: "refused",
    from: "2026-01-02T03:04:05Z",
  };
  const shown = { ...search, live: true, each: true };
  expect(readRunFilters(shown)).toEqual(shown as never);
  const wrong = {
    status: "odd",
    source: 1,
    operation: "",
    error: {},
    from: "yesterday",
    live: "yes",
    each: 1,
    x: "y",
  };
  expect(readRunFilters(wrong)).toEqual({});
});

test("A number in the address is a text to search for", () => {
  expect(readRunFilters({ error: 404 })).toEqual({ error: "404" });
});

test("Messages are one line unless a filter is about single calls", () => {
  expect([{}, { span: "7d", source: "mcp", user: "x", each: true }].map(mayGroup as never)).toEqual(
    [true, true],
  );
  for (const filter of [{ status: "error" }, { row: "x" }, { error: "x" }, { cause_id: "x" }]) {
    expect([filter, mayGroup(filter as never)]).toEqual([filter, false]);
  }
  expect([isLimited({ each: true }), isLimited({ cause_id: "x" })]).toEqual([false, true]);
});
