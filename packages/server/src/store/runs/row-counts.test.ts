import { expect, test } from "bun:test";
import { addCall, noCounts, readCounts, rollCounts, writeCounts } from "./row-counts.ts";

const hourMs = 3_600_000;
const at = 500_000 * hourMs;

function count(
  calls: { endedAt: number; latencyMs?: number; isError?: boolean; countsForState?: boolean }[],
) {
  const counts = readCounts(noCounts);
  for (const { endedAt, latencyMs = 10, isError = false, countsForState = true } of calls) {
    addCall(counts, { endedAt, latencyMs, isError, countsForState });
  }
  return readCounts(writeCounts(counts));
}

test("Calls are summed over a day, and those of the last hour apart", () => {
  const counts = count([
    { endedAt: at - 30 * hourMs },
    { endedAt: at - 2 * hourMs, isError: true },
    { endedAt: at - 60_000, isError: true },
    { endedAt: at - 60_000, countsForState: false },
  ]);
  expect(rollCounts(counts, at)).toMatchObject({
    calls: 3,
    errors: 2,
    recentCalls: 1,
    recentErrors: 1,
  });
  expect(rollCounts(counts, at + 25 * hourMs)).toEqual({
    calls: 0,
    errors: 0,
    p95Ms: null,
    recentCalls: 0,
    recentErrors: 0,
    rollsAt: null,
  });
});

test("Figures change without a call when a part of them is too old", () => {
  const counts = count([{ endedAt: at + 1 }]);
  const { rollsAt } = rollCounts(counts, at + 2);
  expect(rollsAt).toBe(at + hourMs);
  expect(rollCounts(counts, Number(rollsAt) - 1).recentCalls).toBe(1);
  expect(rollCounts(counts, Number(rollsAt)).recentCalls).toBe(0);
});

test.each([1, 40, 1_000, 30_000])("A p95 of %d ms is right to about 10 %%", (latencyMs) => {
  const slow = { endedAt: at, latencyMs: 90_000 };
  const counts = count([...Array(19).fill({ endedAt: at, latencyMs }), slow]);
  const p95 = rollCounts(counts, at).p95Ms ?? 0;
  expect(Math.abs(p95 - latencyMs)).toBeLessThanOrEqual(Math.max(1, latencyMs * 0.1));
});
