import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import { createDailyAmounts } from "../lib/daily-amounts.ts";
import type { Timers } from "../lib/timers.ts";
import type { AppEnv } from "./app-env.ts";
import { getSignedIn } from "./need-session.ts";

/** Each change is recorded for good, so a user makes a limited number of them in a day: `HUB_CHANGES_PER_DAY`. */
export type ChangeLimit = {
  /** Counts a request that changes something. Throws `rate_limited` with `retry_after_s`. */
  count(userId: string): void;
};

export function createChangeLimit(deps: {
  timers: Pick<Timers, "now">;
  perDay: number;
}): ChangeLimit {
  const { timers, perDay } = deps;
  const changes = createDailyAmounts({ now: timers.now, perDay });
  return {
    count(userId) {
      const waitMs = changes.findWaitMs(userId, 1);
      if (waitMs > 0) throw refuse(perDay, waitMs);
      changes.add(userId, 1);
    },
  };
}

/** Counts the forms of a signed-in user. */
export function countChange(changes: ChangeLimit) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    changes.count(getSignedIn(ctx).user.id);
    await next();
  });
}

function refuse(perDay: number, waitMs: number): HubError {
  const waitS = Math.ceil(waitMs / 1000);
  return new HubError(
    "rate_limited",
    `You have made the ${perDay} changes that a user may make in a day (HUB_CHANGES_PER_DAY). Try again in ${waitS} s.`,
    { detail: { retry_after_s: waitS } },
  );
}
