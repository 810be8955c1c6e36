import { expect, test } from "bun:test";
import { alternate, compareRounds, median, percentile } from "./statistics.ts";

test("The median is the middle value, or the mean of the two middle values", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 100])).toBe(3);
  expect(() => median([])).toThrow("at least one value");
});

test("A percentile is one of the values", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(hundred, 99)).toBe(99);
  expect(percentile(hundred, 50)).toBe(50);
  expect(percentile([7], 99)).toBe(7);
});

test("Two subjects are compared within each round, before the median is taken", () => {
  expect(compareRounds([10, 40, 90], [1, 8, 30], (one, other) => one / other)).toBe(5);
  expect(() => compareRounds([1, 2], [1], (one) => one)).toThrow("the same rounds");
});

test("Subjects alternate, in reverse order in every other round", async () => {
  const order: string[] = [];
  const run = (name: string) => async () => {
    order.push(name);
    return order.length;
  };
  const results = await alternate(3, { echo: run("echo"), hub: run("hub") });
  expect(order).toEqual(["echo", "hub", "hub", "echo", "echo", "hub"]);
  expect(results).toEqual({ echo: [1, 4, 5], hub: [2, 3, 6] });
});
