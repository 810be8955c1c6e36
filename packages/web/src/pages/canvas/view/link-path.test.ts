import { expect, test } from "bun:test";
import { Position } from "@xyflow/react";
import { toLinkPath } from "./link-path.ts";

const sides = { sourcePosition: Position.Right, targetPosition: Position.Left };
const toPath = (source: [number, number], target: [number, number]) =>
  toLinkPath(
    { ...sides, sourceX: source[0], sourceY: source[1], targetX: target[0], targetY: target[1] },
    32,
  );

test("A connection to the start of the next row runs through the gap above that row", () => {
  const [path, , y] = toPath([840, 84], [0, 240]);
  // The next row begins at 208, and the row before ends at 168.
  expect(y).toBe(188);
  expect(path).not.toContain("C");
});

test("A connection to the right is a curve, also across the smallest gap", () => {
  expect(toPath([180, 32], [220, 136])[0]).toContain("C");
});
