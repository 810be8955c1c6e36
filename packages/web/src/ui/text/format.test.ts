import { expect, test } from "bun:test";
import { formatAgo, formatBytes, formatDuration, formatSpan } from "./format.ts";
import { readQuantity } from "./read-quantity.ts";

test.each([
  [1, "1 second"],
  [45, "45 seconds"],
  [60, "1 minute"],
  [90, "90 seconds"],
  [5400, "90 minutes"],
  [3600, "1 hour"],
  [2_592_000, "30 days"],
  [0, "0 seconds"],
])("%d seconds are written as %s", (seconds, text) => {
  expect(formatSpan(seconds)).toBe(text);
});

const day = 86_400_000;

test.each([
  [90 * day - 1000, "in 3 months"],
  [30 * day - 1000, "in 30 days"],
  [2 * 3_600_000 - 1, "in 2 hours"],
  [-(2 * 3_600_000 - 1), "1 hour ago"],
  [-59_000, "just now"],
])("A time %d ms from now is written as %s", (ms, text) => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  expect(formatAgo(new Date(now + ms).toISOString(), now)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024 ** 2, "1 MiB"],
  [2.5 * 1024 ** 3, "2.5 GiB"],
  [10 ** 12, "931.3 GiB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, "0 ms"],
  [850, "850 ms"],
  [1200, "1.2 s"],
  [180_000, "3 min"],
])("%d ms are written as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  ["bytes", "1 MiB", 1024 ** 2],
  ["bytes", "1.5 gib", 1.5 * 1024 ** 3],
  ["bytes", "10,000 B", 10_000],
  ["bytes", "2kb", 2000],
  ["seconds", "30 days", 2_592_000],
  ["seconds", "1.5 h", 5400],
  ["bytes", "1048576", null],
  ["bytes", "30 days", null],
  ["seconds", "1 constructor", null],
  ["seconds", "soon", null],
  ["bytes", `${"9".repeat(100_000)} MiB`, null],
] as const)("As %s, %s is %p", (kind, text, count) => {
  expect(readQuantity(kind, text)).toBe(count);
});
