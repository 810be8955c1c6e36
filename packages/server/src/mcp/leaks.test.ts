/**
 * No secret leaves the hub (traps 1, 2 and 4). This is a bounded run of `scripts/fuzz-leaks.ts`.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { amount } from "../lib/testing/amount.ts";
import { leakCases } from "./testing/leak-cases.ts";
import { type LeakHub, openLeakHub } from "./testing/leak-hub.ts";
import { checkLeaks } from "./testing/leak-properties.ts";

const slowMachineMs = 60_000;

let hub: LeakHub;
beforeAll(async () => {
  hub = await openLeakHub();
});
afterAll(() => hub.close());

test(
  "Replies, progress, logs and audit rows show secrets only as tokens, whatever a connector returns",
  async () => {
    const outcomes = new Set<string>();
    const property = fc.asyncProperty(leakCases(hub), async (given) => {
      outcomes.add(await checkLeaks(hub, given));
    });
    await fc.assert(property, { seed: 20_261_120, numRuns: amount(12, 80) });
    // The cases covered every outcome of a call.
    const ends = ["success", "upstream_error", "internal", "invalid_params", "token_invalid"];
    expect([...outcomes]).toEqual(expect.arrayContaining(ends));
  },
  slowMachineMs,
);
