import { expect, test } from "bun:test";
import { findTab, listTabs, readRowSearch } from "./row-search.ts";

const admin = { isAdmin: true, mayTest: true, hasWidgets: true };
const tester = { isAdmin: false, mayTest: true, hasWidgets: false };
const viewer = { isAdmin: false, mayTest: false, hasWidgets: false };

test("An address with an operation opens the test panel, for those who may test the row", () => {
  expect(findTab(readRowSearch({ op: "echo" }), tester)).toBe("test");
  expect(findTab(readRowSearch({}), tester)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "access" }), tester)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "test" }), viewer)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "history" }), viewer)).toBe("history");
  expect(findTab(readRowSearch({ op: "echo", prefill: "r1" }), admin)).toBe("test");
  expect(findTab(readRowSearch({ op: "echo" }), viewer)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "settings" }), viewer)).toBe("operations");
  expect(findTab(readRowSearch({ tab: "unknown" }), admin)).toBe("settings");
});

test("Users who may test a row with widgets have a tab for them, and admins have them among the settings", () => {
  const user = { ...tester, hasWidgets: true };
  expect(listTabs(user)).toEqual(["operations", "test", "widgets", "history"]);
  expect(findTab(readRowSearch({ tab: "widgets" }), user)).toBe("widgets");
  expect(listTabs(admin)).toEqual(["settings", "operations", "test", "history", "access", "rules"]);
  for (const other of [admin, tester, viewer]) {
    expect(findTab(readRowSearch({ tab: "widgets" }), other)).toBe("operations");
  }
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

test("The review shows one kind of operations, or all", () => {
  for (const show of ["warnings", "hidden"] as const) {
    expect(readRowSearch({ tab: "operations", show }).show).toBe(show);
  }
  expect(readRowSearch({ tab: "operations", show: "other" })).toEqual({ tab: "operations" });
});
