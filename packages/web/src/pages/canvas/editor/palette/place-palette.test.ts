import { describe, expect, test } from "bun:test";
import { placePalette } from "./place-palette.ts";

const area = { left: 56, top: 100, right: 1440, bottom: 900 };
const size = { width: 352, height: 480 };
const toPoint = (x: number, y: number) => ({ left: x, top: y, right: x, bottom: y });

describe("placePalette", () => {
  test("The palette is beside what it adds to, and at the left of it where there is no space", () => {
    expect(placePalette(area, size, toPoint(456, 500))).toEqual({ left: 412, top: 304 });
    expect(placePalette(area, size, toPoint(1400, 500)).left).toBe(1400 - 56 - 12 - 352);
  });

  test("The palette is always whole within the area", () => {
    for (const [x, y] of [
      [60, 101],
      [1439, 899],
      [700, 100],
      [-500, 5000],
    ] as const) {
      const { left, top } = placePalette(area, size, toPoint(x, y));
      expect(left).toBeGreaterThanOrEqual(8);
      expect(left + size.width).toBeLessThanOrEqual(1384 - 8);
      expect(top).toBeGreaterThanOrEqual(8);
      expect(top + size.height).toBeLessThanOrEqual(800 - 8);
    }
  });

  test("Without an anchor it is at the top left, and on a phone at the bottom", () => {
    expect(placePalette(area, size, null)).toEqual({ left: 8, top: 8 });
    const phone = { left: 0, top: 100, right: 390, bottom: 844 };
    expect(placePalette(phone, { width: 374, height: 480 }, toPoint(5, 120))).toEqual({
      left: 8,
      top: 744 - 480 - 8,
    });
  });
});
