import { expect, test } from "bun:test";
import { describeBounds, noBounds, toBounds } from "./to-bounds.ts";

test("Fields without a text make no bounds, and each text makes its list", () => {
  expect(toBounds(noBounds)).toEqual({});
  expect(toBounds({ row: "r", operations: " a\nb, ", addresses: "10.0.0.0/8,::1" })).toEqual({
    bounds: { rows: ["r"], operations: ["a", "b"], addresses: ["10.0.0.0/8", "::1"] },
  });
});

test("Bounds are described by how many they name", () => {
  expect(describeBounds(null)).toBe("All that its user may call");
  expect(describeBounds({ rows: ["a"], addresses: ["b", "c"] })).toBe("1 row, 2 addresses");
});
