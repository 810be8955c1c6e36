import { HubError } from "../errors.ts";
import { createDailyAmounts } from "../lib/limits/daily-amounts.ts";

/** Each change is recorded for good, so a user makes a limited number of them in a day: `HUB_CHANGES_PER_DAY`. */
export type ChangeLimit = {
  /** Counts a request or a call that changes something. Throws `rate_limited` with `retry_after_s`. */
  count(userId: string): void;
};

/** Each process counts for itself. 0 is no limit. */
export function createChangeLimit(deps: { now(): number; perDay: number }): ChangeLimit {
  const { perDay } = deps;
  const changes = createDailyAmounts(deps);
  return {
    count(userId) {
      const waitMs = changes.findWaitMs(userId, 1);
      if (waitMs > 0) throw refuse(perDay, waitMs);
      changes.add(userId, 1);
    },
  };
}

function refuse(perDay: number, waitMs: number): HubError {
  const waitS = Math.ceil(waitMs / 1000);
  return new HubError(
    "rate_limited",
    `You have made the ${perDay} changes that a user may make in a day (HUB_CHANGES_PER_DAY). Try again in ${waitS} s.`,
    { detail: { retry_after_s: waitS } },
  );
}
