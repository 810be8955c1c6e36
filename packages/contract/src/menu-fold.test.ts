import { expect, test } from "bun:test";
import { toFold, toFoldCookie } from "./menu-fold.ts";

test("The menu is folded on graphs of workflows only, and each kind of page keeps its own choice", () => {
  expect(toFold("/workflows/a/edit", undefined)).toBe("folded");
  expect(toFold("/workflows/a/runs/b", null)).toBe("folded");
  expect(toFold("/workflows/a", undefined)).toBe("open");
  expect(toFold("/workflows/a/edit", "open")).toBe("open");
  expect(toFold("/", "folded")).toBe("folded");
  expect(toFoldCookie("/workflows/a/edit")).not.toBe(toFoldCookie("/workflows/a"));
});

test("An unknown value of the cookie chooses nothing", () => {
  expect(toFold("/", '"><script>')).toBe("open");
});
