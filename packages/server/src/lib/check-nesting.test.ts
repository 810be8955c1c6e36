import { expect, test } from "bun:test";
import { findMessageExcess, isNestedWithin } from "./check-nesting.ts";

test("counts objects and arrays alike", () => {
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

test("leaves text whose string never ends to the parser", () => {
  expect(isNestedWithin('["abc[[[[[', 1)).toBe(true);
});

test("a message has at most 50,000 values, and nests 64 levels deep", () => {
  const list = (count: number) => `[${Array(count).fill(1).join(",")}]`;
  expect(findMessageExcess(list(49_000))).toBeNull();
  expect(findMessageExcess(list(51_000))).toBe("values");
  expect(findMessageExcess("[".repeat(64) + "]".repeat(64))).toBeNull();
  expect(findMessageExcess("[".repeat(65) + "]".repeat(65))).toBe("depth");
});
