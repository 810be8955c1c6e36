import {
  appendTo,
  createLinkedList,
  type Link,
  moveToEnd,
  removeFrom,
} from "../queues/linked-list.ts";

type BucketsDeps = {
  now: () => number;
  /** Limit of counted keys; beyond it the longest unused key is dropped. */
  keysMax?: number;
};

/** One token bucket per key: a burst of a minute's tokens, refilled evenly. */
export type TokenBuckets = {
  /**
   * Takes one of the `perMinute` tokens of this key and returns 0. If there is none, returns the
   * milliseconds until the next one. After a change of the limit, earlier tokens still count.
   */
  take(key: string, perMinute: number): number;
  /** Gives back a token that was taken, for what should not count. */
  give(key: string): void;
};

type Bucket = { readonly key: string; taken: number; at: number };

const minuteMs = 60_000;
const keysMaxDefault = 10_000;

export function createTokenBuckets({ now, keysMax = keysMaxDefault }: BucketsDeps): TokenBuckets {
  const buckets = new Map<string, Link<Bucket>>();
  /**
   * The longest unused first. The order of a Map would do, but to find its first key it steps over
   * the keys that were removed before, some thousand of them with many keys.
   */
  const order = createLinkedList<Bucket>();

  function dropUnused(): void {
    const oldest = order.first;
    if (buckets.size <= keysMax || oldest === null) return;
    removeFrom(order, oldest);
    buckets.delete(oldest.value.key);
  }

  return {
    take(key, perMinute) {
      const at = now();
      const known = buckets.get(key);
      const before = known?.value;
      // A clock that was set back must not block the key.
      if (before !== undefined) before.at = Math.min(before.at, at);
      const restored = before === undefined ? 0 : ((at - before.at) / minuteMs) * perMinute;
      // After a limit was lowered, at most a minute's worth counts.
      const taken = Math.max(0, Math.min(before?.taken ?? 0, perMinute) - restored);
      if (taken + 1 > perMinute) return ((taken + 1 - perMinute) / perMinute) * minuteMs;
      if (known === undefined) {
        buckets.set(key, appendTo(order, { key, taken: 1, at }));
        dropUnused();
      } else {
        known.value.taken = taken + 1;
        known.value.at = at;
        moveToEnd(order, known);
      }
      return 0;
    },
    give(key) {
      const bucket = buckets.get(key)?.value;
      if (bucket !== undefined) bucket.taken = Math.max(0, bucket.taken - 1);
    },
  };
}
