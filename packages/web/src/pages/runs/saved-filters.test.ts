import { expect, test } from "bun:test";
import { addSavedFilter, readSavedFilters } from "./saved-filters.ts";

test("Filters are kept by name without the open call, and a name that is used again replaces its filter", () => {
  const one = addSavedFilter([], {
    name: " Failed ",
    filters: { status: "error", open: "x", live: true },
  });
  expect(one).toEqual([{ name: "Failed", filters: { status: "error" } }]);
  const two = addSavedFilter(one, { name: "Failed", filters: { span: "yesterday" } });
  expect(two).toEqual([{ name: "Failed", filters: { span: "yesterday" } }]);
  expect(addSavedFilter(two, { name: "  ", filters: {} })).toEqual(two);
  const many = Array.from({ length: 60 }, (_, at) => ({ name: `n${at}`, filters: {} }));
  expect(many.reduce((saved, next) => addSavedFilter(saved, next), two)).toHaveLength(50);
});

test("What the browser kept is checked before it is used", () => {
  const kept = [{ name: "A", filters: { status: "odd", span: "7d" } }, { name: 5 }, null, "x"];
  expect(readSavedFilters(kept)).toEqual([{ name: "A", filters: { span: "7d" } }]);
  for (const odd of [null, {}, "x", 5]) expect(readSavedFilters(odd)).toEqual([]);
});
