import { expect, test } from "bun:test";
import { toHue, toLetters } from "./logo-letters.ts";

test.each([
  ["Code host", "CH"],
  ["notes", "N"],
  ["  Ünits of 3  ", "ÜO"],
  ["日本語 の", "日の"],
  ["--", "?"],
  ["", "?"],
  ["ßtrasse", "SS"],
])("The letters of %p are %s", (name, letters) => {
  expect(toLetters(name)).toBe(letters);
});

test("The hue of a key is always the same, and keys have different ones", () => {
  expect(toHue("http")).toBe(toHue("http"));
  expect(
    new Set(["http", "mcp", "openapi", "hub", "logs", "notes"].map(toHue)).size,
  ).toBeGreaterThan(3);
});
