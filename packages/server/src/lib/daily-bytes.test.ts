import { expect, test } from "bun:test";
import { createDailyBytes } from "./daily-bytes.ts";

const dayMs = 86_400_000;

function openBytes(perDay: number) {
  const clock = { time: 5 * dayMs };
  return { clock, bytes: createDailyBytes({ now: () => clock.time, perDay }) };
}

test("An owner has the bytes of a day at once, and then as many as come back", () => {
  const { clock, bytes } = openBytes(1_000);
  bytes.add("ada", 600);
  expect(bytes.findWaitMs("ada", 400)).toBe(0);
  bytes.add("ada", 400);
  expect(bytes.findWaitMs("ada", 100)).toBe(dayMs / 10);
  expect(bytes.findWaitMs("ben", 1_000)).toBe(0);
  clock.time += dayMs / 10 - 1;
  expect(bytes.findWaitMs("ada", 100)).toBe(1);
  clock.time += 1;
  expect(bytes.findWaitMs("ada", 100)).toBe(0);
});

test("What is stored beyond the limit is counted, and a clock that was set back gives nothing", () => {
  const { clock, bytes } = openBytes(1_000);
  bytes.add("ada", 3_000);
  expect(bytes.findWaitMs("ada", 0)).toBe(2 * dayMs);
  clock.time -= dayMs;
  expect(bytes.findWaitMs("ada", 0)).toBe(2 * dayMs);
  clock.time += 3 * dayMs;
  expect(bytes.findWaitMs("ada", 0)).toBe(0);
});

test("Without a limit nothing waits", () => {
  const { bytes } = openBytes(0);
  bytes.add("ada", 1e15);
  expect(bytes.findWaitMs("ada", 1e15)).toBe(0);
});
