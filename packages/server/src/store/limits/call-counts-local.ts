import { createTokenBuckets } from "../../lib/limits/token-buckets.ts";
import type { CallCounts, CountedCall } from "./call-counts.ts";

/** Counts the calls of this process in its memory. */
export function createLocalCallCounts({ now }: { now: () => number }): CallCounts {
  const buckets = createTokenBuckets({ now });
  const running = new Map<string, number>();

  function start(key: string): CountedCall {
    running.set(key, (running.get(key) ?? 0) + 1);
    let isOver = false;
    return {
      refusal: null,
      end() {
        if (isOver) return;
        isOver = true;
        const others = (running.get(key) ?? 0) - 1;
        if (others === 0) running.delete(key);
        else running.set(key, others);
      },
    };
  }

  return {
    begin(key, { perMinute, atOnce }) {
      if (atOnce > 0 && (running.get(key) ?? 0) >= atOnce) {
        return { refusal: { limit: "atOnce" }, end() {} };
      }
      const waitMs = perMinute > 0 ? buckets.take(key, perMinute) : 0;
      if (waitMs > 0) return { refusal: { limit: "perMinute", waitMs }, end() {} };
      return start(key);
    },
  };
}
