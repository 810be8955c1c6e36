import { expect, test } from "bun:test";
import { readRunFilters } from "./run-filters.ts";

test("The filters of an address are read, and what is not understood is left out", () => {
  const search = {
    status: "error",
    source: "test",
    operation: "get",
    connector: "http",
    error: "refused",
    from: "2026-01-02T03:04:05Z",
  };
  expect(readRunFilters({ ...search, live: true })).toEqual({ ...search, live: true } as never);
  const wrong = {
    status: "odd",
    source: 1,
    operation: "",
    error: {},
    from: "yesterday",
    live: "yes",
    x: "y",
  };
  expect(readRunFilters(wrong)).toEqual({});
});

test("A number in the address is a text to search for", () => {
  expect(readRunFilters({ error: 404 })).toEqual({ error: "404" });
});
