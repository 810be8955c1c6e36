/** Protects: a run that waits does not look again and again at what cannot go on. */
import { expect, test } from "bun:test";
import { newStep } from "../../../store/test-data.ts";
import { findWakeTime } from "./exit-run.ts";

test("Items of a node that is gone over now wake the run at no time of their own", () => {
  const items = new Map([[0, newStep({ nodeId: "each", item: 0, wakeAt: 5 })]]);
  const waiting = {
    asleep: new Map(),
    children: new Map(),
    approvals: new Map(),
    calls: new Map(),
    itemCalls: new Map([["each", items]]),
  };
  expect(findWakeTime({ state: { ...waiting, atItems: new Set() } })).toBe(5);
  expect(findWakeTime({ state: { ...waiting, atItems: new Set(["each"]) } })).toBe(null);
});
