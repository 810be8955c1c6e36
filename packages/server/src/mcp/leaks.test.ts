/**
 * No secret leaves the hub by any way (traps 1, 2 and 4): a bounded run of what
 * `scripts/fuzz-leaks.ts` tries at length.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type LeakHub, openLeakHub } from "./testing/leak-hub.ts";
import { checkLeaks, leakCases } from "./testing/leak-law.ts";

const slowMachineMs = 60_000;

let hub: LeakHub;
beforeAll(async () => {
  hub = await openLeakHub();
});
afterAll(() => hub.close());

test(
  "whatever a connector says, reply, progress, log and audit row show tokens of its secrets only",
  async () => {
    const outcomes = new Set<string>();
    const property = fc.asyncProperty(leakCases(hub), async (given) => {
      outcomes.add(await checkLeaks(hub, given));
    });
    await fc.assert(property, { seed: 20_261_120, numRuns: 200 });
    // Every way in which a call can end has been tried.
    const ends = ["success", "upstream_error", "internal", "invalid_params", "token_invalid"];
    expect([...outcomes]).toEqual(expect.arrayContaining(ends));
  },
  slowMachineMs,
);
