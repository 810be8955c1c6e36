import { HubError } from "../errors.ts";
import { createTokenBuckets } from "../lib/token-buckets.ts";
import type { LiveSettings } from "../stored-settings.ts";

/** Limits of one user, or of one row; 0 is none. */
export type CallLimit = {
  /** Calls a minute, with a minute's worth at once after a pause. */
  perMinute: number;
  /** Calls under way at the same time. */
  atOnce: number;
};

/** Counts the calls of each user or row in this process. */
export type CallLimiter = {
  /**
   * Lets a call in, or throws `rate_limited` with `retry_after_s`. What it returns must be called
   * when the call is over. The limit is the one of now: calls that came before count under it, too.
   */
  enter(id: string, limit: CallLimit): () => void;
};

type LimiterDeps = {
  /** Begins the refusal's sentence, as in "You have". */
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
      if (others > 0) running.set(id, others);
      else running.delete(id);
    };
  }

  return {
    enter(id, { perMinute, atOnce }) {
      if (atOnce > 0 && (running.get(id) ?? 0) >= atOnce) {
        throw refuse(`${subject} ${atOnce} calls under way, and no more may run at once.`, 1);
      }
      const waitMs = perMinute > 0 ? buckets.take(id, perMinute) : 0;
      if (waitMs > 0) {
        const waitS = Math.ceil(waitMs / 1000);
        throw refuse(`${subject} used up the ${perMinute} calls a minute.`, waitS);
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
