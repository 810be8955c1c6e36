import { expect, test } from "bun:test";
import { createDailyAmounts } from "./daily-amounts.ts";

const dayMs = 86_400_000;

function openAmounts(perDay: number) {
  const clock = { time: 5 * dayMs };
  return { clock, amounts: createDailyAmounts({ now: () => clock.time, perDay }) };
}

test("An owner has the amount of a day at once, and then as many as come back", () => {
  const { clock, amounts } = openAmounts(1_000);
  amounts.add("ada", 600);
  expect(amounts.findWaitMs("ada", 400)).toBe(0);
  amounts.add("ada", 400);
  expect(amounts.findWaitMs("ada", 100)).toBe(dayMs / 10);
  expect(amounts.findWaitMs("ben", 1_000)).toBe(0);
  clock.time += dayMs / 10 - 1;
  expect(amounts.findWaitMs("ada", 100)).toBe(1);
  clock.time += 1;
  expect(amounts.findWaitMs("ada", 100)).toBe(0);
});

test("What is done beyond the limit is counted, and a clock that was set back gives nothing", () => {
  const { clock, amounts } = openAmounts(1_000);
  amounts.add("ada", 3_000);
  expect(amounts.findWaitMs("ada", 0)).toBe(2 * dayMs);
  clock.time -= dayMs;
  expect(amounts.findWaitMs("ada", 0)).toBe(2 * dayMs);
  clock.time += 3 * dayMs;
  expect(amounts.findWaitMs("ada", 0)).toBe(0);
});

test("Without a limit nothing waits", () => {
  const { amounts } = openAmounts(0);
  amounts.add("ada", 1e15);
  expect(amounts.findWaitMs("ada", 1e15)).toBe(0);
});
