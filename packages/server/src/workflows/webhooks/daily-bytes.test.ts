import { expect, test } from "bun:test";
import { createDailyBytes } from "./daily-bytes.ts";

const dayMs = 86_400_000;

function openBytes(perDay: number) {
  const clock = { time: 5 * dayMs };
  return { clock, bytes: createDailyBytes({ now: () => clock.time, perDay }) };
}

test("A workflow has the bytes of a day at once, and then as many as come back", () => {
  const { clock, bytes } = openBytes(1_000);
  expect(bytes.take("w1", 600)).toBe(0);
  expect(bytes.take("w1", 400)).toBe(0);
  expect(bytes.take("w1", 100)).toBe(dayMs / 10);
  expect(bytes.take("w2", 1_000)).toBe(0);
  clock.time += dayMs / 10 - 1;
  expect(bytes.take("w1", 100)).toBeGreaterThan(0);
  clock.time += 1;
  expect(bytes.take("w1", 100)).toBe(0);
  expect(bytes.take("w1", 1)).toBeGreaterThan(0);
});

test("What is refused is not counted, and a clock that was set back gives nothing", () => {
  const { clock, bytes } = openBytes(1_000);
  expect(bytes.take("w1", 900)).toBe(0);
  for (let count = 0; count < 100; count += 1) expect(bytes.take("w1", 200)).toBeGreaterThan(0);
  clock.time -= dayMs;
  expect(bytes.take("w1", 200)).toBeGreaterThan(0);
  expect(bytes.take("w1", 100)).toBe(0);
});

test("Without a limit nothing is refused", () => {
  const { bytes } = openBytes(0);
  for (let count = 0; count < 10; count += 1) expect(bytes.take("w1", 1e12)).toBe(0);
});
