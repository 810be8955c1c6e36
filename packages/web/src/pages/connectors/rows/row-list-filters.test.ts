import { expect, test } from "bun:test";
import { filterRows, readRowListFilters } from "./row-list-filters.ts";

const row = (label: string, more: object = {}) => ({
  id: crypto.randomUUID(),
  connector: "http",
  label,
  description: "",
  tags: ["team"],
  tests: "admins" as const,
  disabled: false,
  disabled_type: false,
  missing: [],
  version: 1,
  created_at: "",
  updated_at: "",
  ...more,
});
const rows = [
  row("Weather"),
  row("Search", { tags: ["web"], missing: ["base_url"] }),
  row("Old", { disabled: true }),
  row("Lost", { missing: null, description: "Of a removed plugin." }),
];

test.each([
  [{ q: "plugin REMOVED" }, ["Lost"]],
  [{ q: "web" }, ["Search"]],
  [{ tag: "team", state: "ready" }, ["Weather"]],
  [{ state: "setup" }, ["Search"]],
  [{ state: "disabled" }, ["Old", "Lost"]],
  [{ state: "odd", tag: "", q: ["x"] }, ["Weather", "Search", "Old", "Lost"]],
])("The filters %j of an address leave %j", (search, labels) => {
  const shown = filterRows(rows, readRowListFilters(search));
  expect(shown.map(({ label }) => label)).toEqual(labels);
});
