import { expect, test } from "bun:test";
import { findMessageExcess, isNestedWithin } from "./check-nesting.ts";

test("The nesting check counts objects and arrays", () => {
  expect(isNestedWithin('{"a":[{"b":1}]}', 3)).toBe(true);
  expect(isNestedWithin('{"a":[{"b":1}]}', 2)).toBe(false);
});

test("The nesting check counts depth, not the number of brackets", () => {
  expect(isNestedWithin("[[],[],[],[],{}]", 2)).toBe(true);
});

test("Brackets inside strings do not count as nesting", () => {
  expect(isNestedWithin('["[[[[", "\\"[[[[", "\\\\"]', 1)).toBe(true);
  expect(isNestedWithin('["\\\\", [[]]]', 2)).toBe(false);
  expect(isNestedWithin('{"[[[":"{{{"}', 1)).toBe(true);
});

test("The nesting check accepts a string that never ends, because the parser refuses it", () => {
  expect(isNestedWithin('["abc[[[[[', 1)).toBe(true);
});

test("A message may have at most 50,000 values and 64 levels", () => {
  const list = (count: number) => `[${Array(count).fill(1).join(",")}]`;
  expect(findMessageExcess(list(49_000))).toBeNull();
  expect(findMessageExcess(list(51_000))).toBe("values");
  expect(findMessageExcess("[".repeat(64) + "]".repeat(64))).toBeNull();
  expect(findMessageExcess("[".repeat(65) + "]".repeat(65))).toBe("depth");
});
