import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { createLineBudget } from "./line-budget.ts";

function open() {
  const timers = createManualTimers();
  const budget = createLineBudget({ timers, linesPerMinute: 2 });
  const takeMany = (count: number, kind = "a") =>
    Array.from({ length: count }, () => budget.take(kind));
  return { timers, takeMany };
}

test("Lines above the limit per minute are omitted, with one note", () => {
  const { takeMany } = open();
  const verdicts = takeMany(5);
  expect(verdicts.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false, false, false]);
  expect(verdicts.filter(({ note }) => note !== null)).toEqual([
    { isAllowed: false, note: expect.stringContaining("More than 2") },
  ]);
});

test("The next minute starts a new budget and records how many lines were omitted", () => {
  const { timers, takeMany } = open();
  takeMany(5);
  timers.advance(60_000);
  expect(takeMany(1)).toEqual([{ isAllowed: true, note: expect.stringMatching(/^3 lines/) }]);
  timers.advance(60_000);
  expect(takeMany(1)).toEqual([{ isAllowed: true, note: null }]);
});

test("Each kind of line has its own budget", () => {
  const { takeMany } = open();
  takeMany(5, "a");
  expect(takeMany(1, "b")).toEqual([{ isAllowed: true, note: null }]);
});

test("Kinds beyond the first thousand share one budget, so that the number of budgets is limited", () => {
  const { takeMany } = open();
  for (let kind = 0; kind < 1_002; kind += 1) takeMany(1, `kind ${kind}`);
  expect(takeMany(1, "new")[0]?.isAllowed).toBe(false);
  expect(takeMany(1, "kind 1")[0]?.isAllowed).toBe(true);
});
