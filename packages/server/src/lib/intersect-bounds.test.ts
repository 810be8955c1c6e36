/** Protects: of two bounds, nothing is allowed that one of them does not allow. */
import { expect, test } from "bun:test";
import { intersectBounds } from "./intersect-bounds.ts";

const first = "7f5e2a60-1111-4222-8333-444455556666";
const second = "8f5e2a60-1111-4222-8333-444455556666";
const of = (row: string, key: string) => `conn:${row}/${key}`;

test("Bounds that name no rows and operations limit neither, and no bounds limit nothing", () => {
  expect(intersectBounds(null, null)).toBeNull();
  expect(intersectBounds({ rows: [first] }, null)).toEqual({ rows: [first] });
  expect(intersectBounds(null, { operations: [of(first, "read")] })).toEqual({
    operations: [of(first, "read")],
  });
  expect(intersectBounds({ addresses: ["10.0.0.1"] }, { rows: [first] })).toEqual({
    rows: [first],
    addresses: ["10.0.0.1"],
  });
});

test("An operation counts where the other has it, or its row", () => {
  const one = { rows: [first], operations: [of(second, "read"), of(second, "write")] };
  const other = { rows: [second], operations: [of(first, "read")] };
  const both = [of(first, "read"), of(second, "read"), of(second, "write")];
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const) {
    const found = intersectBounds(a, b);
    if (found === null || found === "too_many") throw new Error("They have something in common");
    expect([found.rows, [...(found.operations ?? [])].sort()]).toEqual([[], both.sort()]);
  }
  const rows = { rows: [first, second], operations: [of(first, "read")] };
  expect(intersectBounds(rows, rows)).toEqual({ rows: [first, second], operations: [] });
});

test("Nothing in common gives empty lists, which allow nothing, and never absent ones", () => {
  const nothing = { rows: [], operations: [] };
  expect(intersectBounds({ rows: [first] }, { rows: [second] })).toEqual(nothing);
  expect(intersectBounds({ rows: [first] }, { operations: [of(second, "a")] })).toEqual(nothing);
  expect(intersectBounds({ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2"] })).toEqual({
    addresses: [],
  });
});

test.each([
  [["10.0.0.0/8"], ["10.1.0.0/16", "11.0.0.0/8"], ["10.1.0.0/16"]],
  [["10.1.2.3"], ["10.1.0.0/16"], ["10.1.2.3"]],
  [["0.0.0.0/0"], ["fd00::/8"], []],
  [
    ["fd00::/8", "::1"],
    ["fd00:1::/32", "::1"],
    ["::1", "fd00:1::/32"],
  ],
])("Addresses %j and %j have %j in common", (one, other, both) => {
  for (const [a, b] of [
    [one, other],
    [other, one],
  ]) {
    const found = intersectBounds({ addresses: a }, { addresses: b });
    if (found === null || found === "too_many") throw new Error("They have addresses");
    expect([...(found.addresses ?? [])].sort()).toEqual(both);
  }
});

test("More than bounds may name is no answer", () => {
  const many = (net: string) => Array.from({ length: 19 }, (_, at) => `${net}.0.0.${at + 1}`);
  const one = { addresses: ["10.0.0.0/8", ...many("11")] };
  const other = { addresses: ["11.0.0.0/8", ...many("10")] };
  expect(intersectBounds(one, other)).toBe("too_many");
});
