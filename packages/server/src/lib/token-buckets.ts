type BucketsDeps = {
  now: () => number;
  /** Keys that are counted at the same time; beyond it, the one unused for longest is forgotten. */
  keysMax?: number;
};

/** One token bucket for each key: a burst of a minute's tokens, which come back evenly. */
export type TokenBuckets = {
  /**
   * Takes one of the `perMinute` tokens of this key. Returns 0, or the milliseconds until there is a
   * token; then nothing was taken. A changed limit counts what was taken under the one before.
   */
  take(key: string, perMinute: number): number;
};

const minuteMs = 60_000;
const keysMaxDefault = 10_000;

export function createTokenBuckets({ now, keysMax = keysMaxDefault }: BucketsDeps): TokenBuckets {
  const buckets = new Map<string, { taken: number; at: number }>();
  return {
    take(key, perMinute) {
      const at = now();
      const before = buckets.get(key);
      // A clock that was set back must not keep the key waiting for it.
      if (before !== undefined) before.at = Math.min(before.at, at);
      const restored = before === undefined ? 0 : ((at - before.at) / minuteMs) * perMinute;
      // After a limit was lowered, at most a minute's worth counts.
      const taken = Math.max(0, Math.min(before?.taken ?? 0, perMinute) - restored);
      if (taken + 1 > perMinute) return ((taken + 1 - perMinute) / perMinute) * minuteMs;
      // Put back at the end, so that the first is the one that was unused for longest.
      buckets.delete(key);
      buckets.set(key, { taken: taken + 1, at });
      const [oldest] = buckets.keys();
      if (buckets.size > keysMax && oldest !== undefined) buckets.delete(oldest);
      return 0;
    },
  };
}
