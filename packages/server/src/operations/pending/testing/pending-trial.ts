import type { Store } from "../../../store/store.ts";
import { deaths, openTrialHub } from "./trial-hub.ts";
import { createTrialSteps } from "./trial-steps.ts";

type Trial = {
  /** Two servers of one database. */
  stores: readonly [Store, Store];
  steps: number;
  seed: number;
  onStep?: (step: number) => void;
};

const minuteMs = 60_000;

/** What a trial has seen, so that a script can show that it has tried everything. */
export type TrialReport = { runs: number; counts: Record<string, number> };

/**
 * Makes random steps of users, approvers, admins, clocks and dying servers, and compares each with a small model. Throws at
 * the first difference: a call that ran unasked, twice, or as something else than was shown.
 */
export async function tryPendingCalls({
  stores,
  steps,
  seed,
  onStep,
}: Trial): Promise<TrialReport> {
  const trial = await openTrial(stores, seed);
  try {
    for (let step = 0; step < steps; step += 1) {
      await trial.step();
      onStep?.(step);
    }
    return trial.report();
  } finally {
    await trial.close();
  }
}

async function openTrial(stores: Trial["stores"], seed: number) {
  const random = createRandom(seed);
  const hub = await openTrialHub(stores);
  const { clock, runs } = hub;
  const steps = createTrialSteps(hub, random, seed);
  return {
    async step() {
      clock.at += Math.floor(random() * 2 * minuteMs);
      const choice = random();
      if (choice < 0.42) return await steps.makeCall(null);
      if (choice < 0.5) return await steps.makeCall(steps.isVisible() ? steps.pick(deaths) : null);
      if (choice < 0.6) return await steps.callTwice();
      if (choice < 0.86) return await steps.decide();
      if (choice < (steps.isVisible() ? 0.9 : 0.95)) return await steps.change();
      if (choice < 0.97) return await steps.runJobs();
      clock.at += steps.pick([10, 20, 70]) * minuteMs;
    },
    report: (): TrialReport => ({ runs: runs.length, counts: steps.counts }),
    close: hub.close,
  };
}

/** Equal numbers for equal seeds. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
