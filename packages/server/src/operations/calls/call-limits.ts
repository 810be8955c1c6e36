import { HubError } from "../../errors.ts";
import type { CallCounts, CallLimit, CallRefusal } from "../../store/limits/call-counts.ts";
import type { LiveSettings } from "../../stored-settings.ts";

/** A call that counts until `release`. */
export type CallEntry = {
  /**
   * Resolves when the call is within its limits, or rejects with `rate_limited`. Null if it is
   * already known to be. The operation must not start before.
   */
  admitted: Promise<void> | null;
  release(): void;
};

/** Limits the calls of each user or row. */
export type CallLimiter = {
  /**
   * Counts a call, or throws `rate_limited` with `retry_after_s`. Earlier calls count under the limit
   * given now.
   */
  enter(id: string, limit: CallLimit): CallEntry;
};

type LimiterDeps = {
  counts: CallCounts;
  /** What is counted. */
  kind: "user" | "row";
  /** The start of the error message, such as "You have". */
  subject: string;
};

export function toUserLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.userCallsPerMinute, atOnce: settings.userCallsAtOnce };
}

export function toRowLimit(settings: LiveSettings): CallLimit {
  return { perMinute: settings.rowCallsPerMinute, atOnce: settings.rowCallsAtOnce };
}

export function createCallLimiter({ counts, kind, subject }: LimiterDeps): CallLimiter {
  return {
    enter(id, limit) {
      const { refusal, end } = counts.begin(`${kind}:${id}`, limit);
      if (refusal === null) return { admitted: null, release: end };
      if (!(refusal instanceof Promise)) throw toError(subject, limit, refusal);
      const admitted = refusal.then((found) => {
        if (found !== null) throw toError(subject, limit, found);
      });
      // The call may fail of another reason before it looks at this.
      admitted.catch(() => {});
      return { admitted, release: end };
    },
  };
}

function toError(subject: string, limit: CallLimit, refusal: CallRefusal): HubError {
  if (refusal.limit === "atOnce") {
    return refuse(`${subject} ${limit.atOnce} running calls, which is the maximum.`, 1);
  }
  const waitS = Math.ceil(refusal.waitMs / 1000);
  return refuse(`${subject} used all ${limit.perMinute} calls per minute.`, waitS);
}

function refuse(sentence: string, retryAfterS: number): HubError {
  return new HubError("rate_limited", `${sentence} Try again in ${retryAfterS} s.`, {
    detail: { retry_after_s: retryAfterS },
  });
}
