import { expect, test } from "bun:test";
import { describeCallCounts } from "./call-counts.testsuite.ts";
import { createLocalCallCounts } from "./call-counts-local.ts";

describeCallCounts("of one process", async () => {
  const clock = { ms: 0 };
  return {
    counts: createLocalCallCounts({ now: () => clock.ms }),
    advance: async (ms) => {
      clock.ms += ms;
    },
    remove: async () => {},
  };
});

test("After the clock is set back, a user waits at most one minute", () => {
  const clock = { ms: 3_600_000 };
  const { begin } = createLocalCallCounts({ now: () => clock.ms });
  const limit = { perMinute: 1, atOnce: 0 };
  expect(begin("ada", limit).refusal).toBeNull();
  clock.ms = 0;
  expect(begin("ada", limit).refusal).toEqual({ limit: "perMinute", waitMs: 60_000 });
  clock.ms = 60_000;
  expect(begin("ada", limit).refusal).toBeNull();
});
