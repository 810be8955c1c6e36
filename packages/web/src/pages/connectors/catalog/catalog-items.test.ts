import { expect, test } from "bun:test";
import { readCatalogFilters } from "./catalog-filters.ts";
import { countChip, filterItems, toCatalogItems } from "./catalog-items.ts";

const named = (key: string, name = key) => ({ key, name, logo: null, description: `The ${key}.` });
const connector = (key: string, tier: "builtin" | "plugin") => ({
  ...named(key),
  icon: "",
  tier,
  disabled_type: false,
  rows: 0,
  operation_count: 1,
  operations_by_row: false,
  made_from: null,
  has_accounts: false,
});
const plugin = (key: string, enabled = true) => ({
  ...named(key),
  version: "1.0.0",
  platforms: [],
  form: "thin" as const,
  proto_version: 2,
  signature: null,
  enabled,
  refused_version: null,
  problem: null,
  awaited_version: null,
  only_here: false,
  note: null,
});
const offer = (key: string, installed: string | null, update_available = false) => ({
  ...named(key),
  version: "1.1.0",
  platforms: [],
  available: true,
  form: "thin" as const,
  installed_version: installed,
  update_available,
  unavailable_reason: null,
});
const items = toCatalogItems({
  connectors: [{ ...connector("http", "builtin"), rows: 3 }, connector("tracker", "plugin")],
  plugins: [plugin("tracker"), plugin("off", false)],
  offers: [offer("tracker", "1.0.0", true), offer("new", null)],
  absent: [{ key: "lost", rows: 2 }],
});
const keysOf = (filters: object) =>
  filterItems(items, readCatalogFilters({ ...filters })).map(({ key }) => key);

test("Each key is one item, also that of a removed plugin with rows", () => {
  expect(items.map(({ key, isInstalled }) => [key, isInstalled])).toEqual([
    ["http", true],
    ["lost", false],
    ["new", false],
    ["off", true],
    ["tracker", true],
  ]);
  expect(items.map(({ rows }) => rows)).toEqual([3, 2, 0, 0, 0]);
});

test.each([
  [{ q: "THE tra" }, ["tracker"]],
  [{ q: 7 }, []],
  [{ show: "builtin" }, ["http"]],
  [{ show: "plugin", installed: true }, ["off", "tracker"]],
  [{ show: "update" }, ["tracker"]],
  [{ category: "api" }, ["http"]],
  [{ show: "disabled" }, ["off"]],
  [{ show: "odd", installed: "yes", q: {} }, ["http", "lost", "new", "off", "tracker"]],
])("The filters %j of an address leave %j", (filters, keys) => {
  expect(keysOf(filters)).toEqual(keys);
});

test("A chip counts the items that it leaves", () => {
  expect(countChip(items, "plugin")).toBe(4);
});
