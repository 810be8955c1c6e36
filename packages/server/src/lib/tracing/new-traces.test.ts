import { expect, test } from "bun:test";
import { createLimit, createNewTraces } from "./new-traces.ts";

test("A limit records so many traces per second, and more in the next second", () => {
  let at = 10_000;
  const limit = createLimit(2, () => at);
  const begin = () => limit.mayBegin() && limit.begin();
  expect([begin(), begin(), begin()]).toEqual([true, true, false]);
  at += 999;
  expect(begin()).toBeFalse();
  at += 1;
  expect(begin()).toBeTrue();
});

test("Requests that may begin a trace and do not take no place of the limit", () => {
  const limit = createLimit(1, () => 0);
  for (let request = 0; request < 5; request += 1) expect(limit.mayBegin()).toBeTrue();
  expect(limit.begin()).toBeTrue();
  expect([limit.mayBegin(), limit.begin()]).toEqual([false, false]);
});

test("A ratio records that part of the requests", () => {
  const values = [0, 0.24, 0.25, 0.99];
  const deps = { now: () => 0, random: () => values.shift() ?? 0, perSecond: 0 };
  const traces = createNewTraces({ root: "ratio", ratio: 0.25, isParentBased: true }, deps);
  expect([1, 2, 3, 4].map(() => traces.mayBegin())).toEqual([true, true, false, false]);
});

test("always_on records all requests, always_off none, and a limit has its number", () => {
  const count = (root: "always_on" | "always_off" | "limited", isParentBased = true) => {
    const choice = { root, ratio: 1, isParentBased };
    const traces = createNewTraces(choice, { now: () => 0, perSecond: 3 });
    return [1, 2, 3, 4, 5].filter(() => traces.mayBegin() && traces.begin()).length;
  };
  expect(count("always_on")).toBe(5);
  expect(count("always_off")).toBe(0);
  expect(count("limited")).toBe(3);
  expect(count("always_off", false)).toBe(5);
});
