import { expect, test } from "bun:test";
import { readRowFilters, readRowFiltersOfConnector, toggleSort } from "./row-filters.ts";

test.each([
  [
    { q: 7, tag: "team", other: 1 },
    { q: "7", tag: "team" },
  ],
  [
    { state: "refused", connector: "http" },
    { state: "refused", connector: "http" },
  ],
  [{ state: "setup" }, { state: "needs_setup" }],
  [{ sort: "errors" }, { sort: "errors", order: "desc" }],
  [
    { sort: "label", order: "desc" },
    { sort: "label", order: "desc" },
  ],
  [{ state: "odd", sort: "odd", order: "asc", q: ["x"], tag: "" }, {}],
])("The address %j has the filters %j", (search, filters) => {
  expect(readRowFilters(search)).toEqual(filters as object);
});

test("The page of a connector takes its connector from its path", () => {
  expect(readRowFiltersOfConnector({ connector: "http", q: "a" })).toEqual({ q: "a" });
});

test("A click on a header sorts by it, and the next one turns the order", () => {
  const first = toggleSort({ sort: "label", order: "asc" }, "calls");
  expect(first).toEqual({ sort: "calls", order: "desc" });
  expect(toggleSort(first, "calls")).toEqual({ sort: "calls", order: "asc" });
  expect(toggleSort(first, "label")).toEqual({ sort: "label", order: "asc" });
});
