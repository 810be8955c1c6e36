import { HubError } from "../errors.ts";
import { createTokenBuckets } from "../lib/token-buckets.ts";
import type { LiveSettings } from "../stored-settings.ts";

/** Limits of one user or one row; 0 means no limit. */
export type CallLimit = {
  /** Calls per minute. After a pause, that many calls may start at once. */
  perMinute: number;
  /** Concurrent calls. */
  atOnce: number;
};

/** Limits the calls of each user or row in this process. */
export type CallLimiter = {
  /**
   * Admits a call, or throws `rate_limited` with `retry_after_s`. Call the returned function when
   * the call is over. Earlier calls count under the limit given now.
   */
  enter(id: string, limit: CallLimit): () => void;
};

type LimiterDeps = {
  /** The start of the error message, such as "You have". */
  subject: string;
  now: () => number;
};

export function toUserLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.userCallsPerMinute, atOnce: settings.userCallsAtOnce };
}

export function toRowLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.rowCallsPerMinute, atOnce: settings.rowCallsAtOnce };
}

export function createCallLimiter({ subject, now }: LimiterDeps): CallLimiter {
  const buckets = createTokenBuckets({ now });
  const running = new Map<string, number>();

  function start(id: string): () => void {
    running.set(id, (running.get(id) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const others = (running.get(id) ?? 0) - 1;
      if (others === 0) running.delete(id);
      else running.set(id, others);
    };
  }

  return {
    enter(id, { perMinute, atOnce }) {
      if (atOnce > 0 && (running.get(id) ?? 0) >= atOnce) {
        throw refuse(`${subject} ${atOnce} running calls, which is the maximum.`, 1);
      }
      const waitMs = perMinute > 0 ? buckets.take(id, perMinute) : 0;
      if (waitMs > 0) {
        const waitS = Math.ceil(waitMs / 1000);
        throw refuse(`${subject} used all ${perMinute} calls per minute.`, waitS);
      }
      return start(id);
    },
  };
}

function refuse(sentence: string, retryAfterS: number): HubError {
  return new HubError("rate_limited", `${sentence} Try again in ${retryAfterS} s.`, {
    detail: { retry_after_s: retryAfterS },
  });
}
