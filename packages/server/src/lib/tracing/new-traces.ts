import type { SamplerChoice } from "./trace-settings.ts";

/** Decides which requests begin a trace that is recorded. */
export type NewTraces = {
  /** Whether this request may be chosen. If not, nothing of it is recorded, which costs least. */
  mayBegin(): boolean;
  /** Whether a request for which `mayBegin` was true is recorded. */
  begin(): boolean;
};

type NewTracesDeps = {
  now: () => number;
  random?: () => number;
  /** The limit of `limited`. */
  perSecond: number;
};

/**
 * The choice of the sampler, except that one without `parentbased_` decides itself for each span.
 */
export function createNewTraces(choice: SamplerChoice, deps: NewTracesDeps): NewTraces {
  const { now, random = Math.random, perSecond } = deps;
  if (!choice.isParentBased) return { mayBegin: () => true, begin: () => true };
  switch (choice.root) {
    case "limited":
      return createLimit(perSecond, now);
    case "always_on":
      return { mayBegin: () => true, begin: () => true };
    case "always_off":
      return { mayBegin: () => false, begin: () => false };
    case "ratio":
      return { mayBegin: () => random() < choice.ratio, begin: () => true };
  }
}

const secondMs = 1_000;

/**
 * Every trace, up to a number per second. So a quiet hub shows everything, and a busy one spends a
 * bounded part of its processor on traces.
 */
export function createLimit(perSecond: number, now: () => number): NewTraces {
  let secondAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  function isLeft(): boolean {
    const at = now();
    if (at - secondAt >= secondMs || at < secondAt) {
      secondAt = at;
      count = 0;
    }
    return count < perSecond;
  }
  return {
    mayBegin: isLeft,
    begin() {
      if (!isLeft()) return false;
      count += 1;
      return true;
    },
  };
}
