import { expect, test } from "bun:test";
import { createFailedEnvelopes } from "./failed-envelopes.ts";

test("An envelope is given up after three failures, and a broken workflow for a minute at once", () => {
  let at = 0;
  const failed = createFailedEnvelopes({ now: () => at });
  const recordFailure = (envelope: string, ...parts: (string | null)[]) =>
    failed.recordFailure("row", envelope, parts);
  expect([recordFailure("a", "w1"), recordFailure("a", "w1"), recordFailure("a", "w1")]).toEqual([
    "again",
    "again",
    "given_up",
  ]);
  expect(recordFailure("b", "w1")).toBe("given_up");
  // Another workflow or channel is not known to be broken.
  expect(recordFailure("c", "w1", "w2")).toBe("again");
  expect(failed.recordFailure("other", "d", ["w1"])).toBe("again");
  at = 60_000;
  expect(recordFailure("e", "w1")).toBe("again");
});

test("A success ends the count of an envelope", () => {
  const failed = createFailedEnvelopes({ now: () => 0 });
  expect([
    failed.recordFailure("row", "a", [null]),
    failed.recordFailure("row", "a", [null]),
  ]).toEqual(["again", "again"]);
  failed.forget("row", "a");
  expect(failed.recordFailure("row", "a", [null])).toBe("again");
});
