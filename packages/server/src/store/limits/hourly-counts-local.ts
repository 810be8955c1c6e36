import { type HourlyCounts, hourMs } from "./hourly-counts.ts";

/** A key of 80 characters and its numbers need some 200 bytes. */
const keysMax = 100_000;

/** Counts in the memory of this process. */
export function createLocalHourlyCounts({ now }: { now: () => number }): HourlyCounts {
  const used = new Map<string, { taken: number; at: number }>();
  return {
    take(key, amount, perHour) {
      const at = now();
      const before = used.get(key) ?? { taken: 0, at };
      // A clock that was set back must not block the key.
      const passedMs = Math.max(0, at - before.at);
      const taken = Math.max(0, Math.min(before.taken, perHour) - (passedMs / hourMs) * perHour);
      if (taken + amount > perHour) return ((taken + amount - perHour) / perHour) * hourMs;
      // Moved to the end, so that the first key is the longest unused one.
      used.delete(key);
      used.set(key, { taken: taken + amount, at });
      const [oldest] = used.keys();
      if (used.size > keysMax && oldest !== undefined) used.delete(oldest);
      return 0;
    },
  };
}
