import { expect, test } from "bun:test";
import { appPages } from "./app-pages.ts";
import { isPageOf, listNavigation } from "./navigation.ts";

test("Each page of the app belongs to an entry of the menu", () => {
  const items = listNavigation({ isAdmin: true }).flatMap((section) => section.items);
  const without = appPages.filter((page) => !items.some((item) => isPageOf(item, page)));
  expect(appPages.length).toBeGreaterThan(20);
  expect(without).toEqual([]);
  expect(items.filter((item) => isPageOf(item, "/manager/add")).map(({ name }) => name)).toEqual([
    "Connections",
  ]);
});
