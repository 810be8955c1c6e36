import { expect, test } from "bun:test";
import { detectType } from "./webhook-respond.ts";

const plain = "text/plain; charset=utf-8";

test.each([
  ['{"a":1}', "application/json"],
  [" [1] ", "application/json"],
  ["12", "application/json"],
  ["hello", plain],
  ['{"a":', plain],
  ["[1] and more", plain],
])("A short body %p is %s", (body, type) => {
  expect(detectType(body)).toBe(type);
});

test.each([
  [`["${"x".repeat(2_000_000)}"]\n`, "application/json"],
  [`["${"x".repeat(2_000_000)}`, plain],
  // Parsing these levels would take a second.
  ["[".repeat(9_000_000), plain],
  [`${"[".repeat(20_000)}${"]".repeat(20_000)}`, "application/json"],
  [`{${" ".repeat(9_000_000)}`, plain],
])("A long body, case %#, is told by its first and last character", (body, type) => {
  expect(detectType(body)).toBe(type);
});
