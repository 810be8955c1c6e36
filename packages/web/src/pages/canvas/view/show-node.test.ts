import { expect, test } from "bun:test";
import { findShift, findShiftBeside } from "./show-node.ts";

test("What is visible does not move, and what is not moves just into view", () => {
  expect(findShift([0, 180], [0, 1000])).toBe(0);
  expect(findShift([990, 1170], [0, 1000])).toBe(-194);
  expect(findShift([-10, 170], [0, 1000])).toBe(34);
});

test("What is larger than the window starts where the window starts", () => {
  expect(findShift([50, 450], [0, 200])).toBe(-50);
});

test("What the map covers moves beside it by the shorter way, and stays if it fits nowhere", () => {
  const toBox = (left: number, top: number, right: number, bottom: number) => {
    return { left, top, right, bottom };
  };
  const [map, area] = [toBox(800, 600, 1000, 700), { left: 0, top: 0 }];
  expect(findShiftBeside(toBox(600, 500, 780, 690), map, area)).toEqual([0, 0]);
  expect(findShiftBeside(toBox(750, 500, 930, 650), map, area)).toEqual([0, -74]);
  expect(findShiftBeside(toBox(640, 500, 820, 690), map, area)).toEqual([-44, 0]);
  expect(findShiftBeside(toBox(0, 0, 900, 650), map, area)).toEqual([0, 0]);
});
