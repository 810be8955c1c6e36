import { expect, test } from "bun:test";
import { assignKeys } from "./operation-keys.ts";

const isKey = (key: string) => /^[a-z0-9_]{1,64}$/.test(key);

// If each name tried all numbers before its own, these tests would not end in time.
const count = 20_000;

test("Names that make one key are numbered in linear time, and each keeps its key", () => {
  const names = Array.from(
    { length: count },
    (_, at) => `Get it${"!".repeat(at % 50)}${"?".repeat(Math.floor(at / 50))}`,
  );
  const keys = assignKeys(names, new Map());
  const made = [...keys.values()];
  expect([keys.size, new Set(made).size]).toEqual([count, count]);
  expect(made.every(isKey)).toBe(true);
  expect(assignKeys(names.toReversed(), keys)).toEqual(keys);
});

test("Long names with a common beginning are numbered in linear time", () => {
  // Each key occurs twice, and is cut to the same beginning to be numbered.
  const names = Array.from({ length: count }, (_, at) => {
    const end = String(Math.floor(at / 2)).padStart(6, "0");
    return `${"a".repeat(58)}${end}${at % 2 === 0 ? "" : "!"}`;
  });
  const made = [...assignKeys(names, new Map()).values()];
  expect(new Set(made).size).toBe(count);
  expect(made.every(isKey)).toBe(true);
});
