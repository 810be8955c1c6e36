import { expect, test } from "bun:test";
import { createRetries } from "./retries.ts";

test("An attempt that fails is due again after pauses that double, up to ten minutes", () => {
  let time = 0;
  const retries = createRetries({ now: () => time });
  const pauses: number[] = [];
  for (let failed = 0; failed < 9; failed += 1) {
    retries.fail("tracker", "one", "full");
    const from = time;
    while (!retries.isDue("tracker", "one")) time += 1_000;
    pauses.push((time - from) / 1_000);
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
});

test("An attempt with another version is due at once, and starts with a short pause", () => {
  const retries = createRetries({ now: () => 0 });
  expect(retries.fail("tracker", "one 1", "full")).toBeTrue();
  expect(retries.fail("tracker", "one 1", "full")).toBeFalse();
  expect([retries.isDue("tracker", "one 1"), retries.isDue("tracker", "two 2")]).toEqual([
    false,
    true,
  ]);
  expect([retries.findMessage("tracker", "one"), retries.findMessage("tracker", "two")]).toEqual([
    "full",
    null,
  ]);
  expect(retries.listOthers(new Set())).toEqual(["tracker"]);
  expect([retries.clear("tracker"), retries.clear("tracker")]).toEqual([true, false]);
});
