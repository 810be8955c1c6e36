import { expect, test } from "bun:test";
import { readWorkflowFilters } from "./list/workflow-filters.ts";
import { findTab, readWorkflowSearch } from "./workflow-search.ts";

test("The address of a workflow's page is read, and what is not understood is left out", () => {
  const search = { tab: "versions", open: "run", state: "failed", trigger: "start", older: "1" };
  expect(readWorkflowSearch({ ...search, newer: 2 })).toEqual({ ...search, newer: "2" } as never);
  const wrong = { tab: "x", open: "all", state: "toString", from: "soon", outcome: 7, version: {} };
  expect(readWorkflowSearch(wrong)).toEqual({});
});

test("The filters of the list are read, and what is not understood is left out", () => {
  const filters = { q: "report", state: "failing", make: "new", example: "reminder" };
  expect(readWorkflowFilters(filters)).toEqual(filters as never);
  expect(readWorkflowFilters({ state: "odd", make: "all", q: {} })).toEqual({});
});

test("The page opens with the overview, and an address that says something of runs with their list", () => {
  const all = ["overview", "runs", "versions"] as const;
  expect(findTab({}, all)).toBe("overview");
  expect(findTab({ open: "run" }, all)).toBe("overview");
  expect(findTab({ version: "2" }, all)).toBe("overview");
  for (const search of [
    { run: "x" },
    { state: "failed" },
    { trigger: "start" },
    { from: "2026-01-01" },
  ]) {
    expect(findTab(search as never, all)).toBe("runs");
  }
  expect(findTab({ tab: "versions", run: "x" }, all)).toBe("versions");
  expect(findTab({ tab: "settings" }, ["runs"])).toBe("runs");
});
