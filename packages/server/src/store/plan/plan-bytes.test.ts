import { expect, test } from "bun:test";
import { fromPlanBytes, toPlanBytes } from "./plan-bytes.ts";

const plan = {
  statements: [{ sql: "insert", parameters: ["é", null, 5, new Uint8Array([1, 2, 255])] }],
  read: { since: 1, revision: 2, keysVersion: null, changes: new Set(["a"]) },
};

test("A plan is the same in another process", () => {
  expect(fromPlanBytes(toPlanBytes(plan))).toEqual(plan);
});

test("A plan that was not sent whole, since its command was killed, is none", () => {
  const bytes = toPlanBytes(plan);
  expect(bytes.length).toBeGreaterThan(50);
  for (let length = 0; length < bytes.length; length += 1) {
    expect(fromPlanBytes(bytes.subarray(0, length))).toBe(null);
  }
});
