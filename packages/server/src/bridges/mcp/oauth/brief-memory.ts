import type { Timers } from "../../../lib/time/timers.ts";

/** The latest value of each key, for a short time. */
export type BriefMemory<Value> = {
  put(key: string, value: Value): void;
  /** Null after its time. */
  find(key: string): Value | null;
  /** How many values it holds. */
  count(): number;
};

/** Each `put` drops the values whose time is over, so that it does not grow with the keys that were ever used. */
export function createBriefMemory<Value>(
  { now }: Pick<Timers, "now">,
  keptMs: number,
): BriefMemory<Value> {
  /** The oldest first. */
  const kept = new Map<string, { value: Value; until: number }>();
  return {
    put(key, value) {
      const at = now();
      kept.delete(key);
      for (const [known, { until }] of kept) {
        if (until > at) break;
        kept.delete(known);
      }
      kept.set(key, { value, until: at + keptMs });
    },
    find(key) {
      const found = kept.get(key);
      return found !== undefined && found.until > now() ? found.value : null;
    },
    count: () => kept.size,
  };
}
