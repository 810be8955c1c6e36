import { expect, test } from "bun:test";
import { toBars, toScaleMax } from "./hour-bars.ts";

const from = "2026-01-01T00:00:00.000Z";

test("Hours without calls have a bar too", () => {
  const to = "2026-01-01T03:00:00.000Z";
  const series = [{ at: "2026-01-01T01:00:00.000Z", runs: 3, by_status: { success: 2, error: 1 } }];
  const { bars, stepMs } = toBars({ from, to, series });
  expect(stepMs).toBe(3_600_000);
  expect(bars.map(({ total }) => total)).toEqual([0, 3, 0]);
  expect(bars[1]?.byStatus).toEqual({ success: 2, error: 1 });
});

test("A year has a bounded number of bars, which add their hours", () => {
  const to = "2027-01-01T00:00:00.000Z";
  const series = [0, 1].map((hour) => ({
    at: `2026-01-01T0${hour}:00:00.000Z`,
    runs: 1,
    by_status: { success: 1 },
  }));
  const { bars } = toBars({ from, to, series });
  expect(bars.length).toBeLessThanOrEqual(168);
  expect(bars[0]?.total).toBe(2);
});

test("The scale ends at a round number at or above the largest bar", () => {
  expect([0, 4, 5, 11, 21, 99, 100, 180, 4100].map(toScaleMax)).toEqual([
    4, 4, 6, 12, 24, 100, 100, 200, 5000,
  ]);
});
