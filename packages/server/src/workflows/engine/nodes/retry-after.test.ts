import { expect, test } from "bun:test";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.parse("2026-03-02T08:00:00.500Z");

test.each([
  [null, null],
  ["120", 120],
  [" 7 ", 7],
  ["Mon, 02 Mar 2026 08:00:30 GMT", 30],
  ["Mon, 02 Mar 2026 07:00:00 GMT", 0],
  ["2026-03-02T09:00:00Z", null],
  ["soon", null],
  ["-5", null],
])("A Retry-After of %p asks for %p seconds", (text, seconds) => {
  expect(parseRetryAfter(text, now)).toBe(seconds);
});
