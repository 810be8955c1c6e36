import { expect, test } from "bun:test";
import { findShift } from "./show-node.ts";

test("What is visible does not move, and what is not moves just into view", () => {
  expect(findShift([0, 180], [0, 1000])).toBe(0);
  expect(findShift([990, 1170], [0, 1000])).toBe(-194);
  expect(findShift([-10, 170], [0, 1000])).toBe(34);
});

test("What is larger than the window starts where the window starts", () => {
  expect(findShift([50, 450], [0, 200])).toBe(-50);
});
