/** Protects: nothing outside of a token's bounds is within them. */
import { expect, test } from "bun:test";
import { areBoundsWithin, type CallBounds, isWithinBounds } from "./call-bounds.ts";

const first = "7f5e2a60-1111-4222-8333-444455556666";
const second = "8f5e2a60-1111-4222-8333-444455556666";
const read = `conn:${second}/read`;
const both: CallBounds = { rows: [first], operations: [read] };
const of = (rowId: string, operationKey?: string) => ({ rowId, operationKey });

test("A row of the bounds has all operations, and a row with an operation in them has that one", () => {
  expect(isWithinBounds(both, of(first))).toBe(true);
  expect(isWithinBounds(both, of(first, "write"))).toBe(true);
  expect(isWithinBounds(both, of(second))).toBe(true);
  expect(isWithinBounds(both, of(second, "read"))).toBe(true);
  expect(isWithinBounds(both, of(second, "rea"))).toBe(false);
  expect(isWithinBounds(both, of(second, "read_all"))).toBe(false);
  expect(isWithinBounds(both, of("9f5e2a60-1111-4222-8333-444455556666"))).toBe(false);
});

test("Empty lists allow nothing, and bounds without lists allow all", () => {
  expect(isWithinBounds({ rows: [] }, of(first))).toBe(false);
  expect(isWithinBounds({ operations: [] }, of(first, "read"))).toBe(false);
  expect(isWithinBounds({}, of(first, "read"))).toBe(true);
});

test("Inner bounds are within outer ones if each of their entries is", () => {
  expect(areBoundsWithin({ operations: [read] }, both)).toBe(true);
  expect(areBoundsWithin({ operations: [`conn:${first}/read`] }, both)).toBe(true);
  expect(areBoundsWithin({ rows: [second] }, both)).toBe(false);
  expect(areBoundsWithin({}, both)).toBe(false);
  // What was started without bounds is within none.
  expect(areBoundsWithin(undefined, {})).toBe(false);
  expect(areBoundsWithin({ rows: [second] }, {})).toBe(true);
});
