import { HubError } from "../errors.ts";
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

/** `used` of a minute's calls; as many as a minute allows are forgotten in a minute. */
type Count = { running: number; used: number; countedAt: number };

type LimiterDeps = {
  /** Begins the refusal's sentence, as in "You have". */
  subject: string;
  now: () => number;
};

const minuteMs = 60_000;
/** Counts that say nothing any more are dropped when there are so many. */
const countsMax = 10_000;

const letGo = () => {};

export function toUserLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.userCallsPerMinute, atOnce: settings.userCallsAtOnce };
}

export function toRowLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.rowCallsPerMinute, atOnce: settings.rowCallsAtOnce };
}

export function createCallLimiter({ subject, now }: LimiterDeps): CallLimiter {
  const counts = new Map<string, Count>();

  function forgetUsed(count: Count, perMinute: number): void {
    const at = now();
    const forgotten = ((at - count.countedAt) / minuteMs) * perMinute;
    // At most a minute's worth counts: a limit that was lowered keeps nobody out for longer.
    count.used = Math.max(0, Math.min(count.used, perMinute) - Math.max(forgotten, 0));
    count.countedAt = at;
  }

  function findCount(id: string, perMinute: number): Count {
    const known = counts.get(id);
    if (known !== undefined) return known;
    if (counts.size >= countsMax) dropIdle(perMinute);
    const count = { running: 0, used: 0, countedAt: now() };
    counts.set(id, count);
    return count;
  }

  /** A count with nothing used and nothing running is what a new one would be. */
  function dropIdle(perMinute: number): void {
    for (const [id, count] of counts) {
      forgetUsed(count, perMinute);
      if (count.running === 0 && (count.used === 0 || perMinute === 0)) counts.delete(id);
    }
  }

  return {
    enter(id, { perMinute, atOnce }) {
      if (perMinute === 0 && atOnce === 0) return letGo;
      const count = findCount(id, perMinute);
      if (atOnce > 0 && count.running >= atOnce) {
        throw refuse(`${subject} ${atOnce} calls under way, and no more may run at once.`, 1);
      }
      if (perMinute > 0) {
        forgetUsed(count, perMinute);
        const left = perMinute - count.used;
        if (left < 1) {
          const waitS = Math.ceil(((1 - left) / perMinute) * 60);
          throw refuse(`${subject} used up the ${perMinute} calls a minute.`, waitS);
        }
        count.used += 1;
      }
      count.running += 1;
      let isOver = false;
      return () => {
        if (!isOver) count.running -= 1;
        isOver = true;
      };
    },
  };
}

function refuse(sentence: string, retryAfterS: number): HubError {
  return new HubError("rate_limited", `${sentence} Try again in ${retryAfterS} s.`, {
    detail: { retry_after_s: retryAfterS },
  });
}
