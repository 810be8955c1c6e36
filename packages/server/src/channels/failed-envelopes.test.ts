import { expect, test } from "bun:test";
import { createFailedEnvelopes } from "./failed-envelopes.ts";

test("An envelope is given up after three failures, and a broken workflow for a minute at once", () => {
  let at = 0;
  const failed = createFailedEnvelopes({ now: () => at });
  const note = (envelope: string, ...parts: (string | null)[]) =>
    failed.note("row", envelope, parts);
  expect([note("a", "w1"), note("a", "w1"), note("a", "w1")]).toEqual([
    "again",
    "again",
    "given_up",
  ]);
  expect(note("b", "w1")).toBe("given_up");
  // Another workflow or channel is not known to be broken.
  expect(note("c", "w1", "w2")).toBe("again");
  expect(failed.note("other", "d", ["w1"])).toBe("again");
  at = 60_000;
  expect(note("e", "w1")).toBe("again");
});

test("A success ends the count of an envelope", () => {
  const failed = createFailedEnvelopes({ now: () => 0 });
  expect([failed.note("row", "a", [null]), failed.note("row", "a", [null])]).toEqual([
    "again",
    "again",
  ]);
  failed.forget("row", "a");
  expect(failed.note("row", "a", [null])).toBe("again");
});
