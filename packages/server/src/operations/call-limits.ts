import { HubError } from "../errors.ts";

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
   * when the call is over.
   */
  enter(id: string): () => void;
};

type Count = { running: number; tokens: number; countedAt: number };

type LimiterDeps = {
  limit: CallLimit;
  /** Begins the refusal's sentence, as in "You have". */
  subject: string;
  now: () => number;
};

const minuteMs = 60_000;
/** Counts that say nothing any more are dropped when there are so many. */
const countsMax = 10_000;

const letGo = () => {};

export function createCallLimiter({ limit, subject, now }: LimiterDeps): CallLimiter {
  const { perMinute, atOnce } = limit;
  if (perMinute === 0 && atOnce === 0) return { enter: () => letGo };
  const counts = new Map<string, Count>();

  const refill = (count: Count) => {
    const at = now();
    const gained = ((at - count.countedAt) / minuteMs) * perMinute;
    count.tokens = Math.min(perMinute, count.tokens + Math.max(gained, 0));
    count.countedAt = at;
  };

  function findCount(id: string): Count {
    const known = counts.get(id);
    if (known !== undefined) return known;
    if (counts.size >= countsMax) dropIdle();
    const count = { running: 0, tokens: perMinute, countedAt: now() };
    counts.set(id, count);
    return count;
  }

  /** A full count with nothing running is what a new one would be. */
  function dropIdle(): void {
    for (const [id, count] of counts) {
      refill(count);
      if (count.running === 0 && count.tokens >= perMinute) counts.delete(id);
    }
  }

  return {
    enter(id) {
      const count = findCount(id);
      if (atOnce > 0 && count.running >= atOnce) {
        throw refuse(`${subject} ${atOnce} calls under way, and no more may run at once.`, 1);
      }
      if (perMinute > 0) {
        refill(count);
        if (count.tokens < 1) {
          const waitS = Math.ceil(((1 - count.tokens) / perMinute) * 60);
          throw refuse(`${subject} used up the ${perMinute} calls a minute.`, waitS);
        }
        count.tokens -= 1;
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
