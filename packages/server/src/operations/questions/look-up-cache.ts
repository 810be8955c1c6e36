import type { LookupItem } from "@hub/connector";

/** A user's recent look-ups, so that typing does not query the outside system again. */
export type LookUpCache = {
  /** Returns the cached items of this key, or calls `ask` and caches its items. */
  get(parts: readonly string[], ask: () => Promise<LookupItem[]>): Promise<LookupItem[]>;
};

const keptMsMax = 60_000;
const answersMax = 500;

/** Caches items for a minute. Failures are not cached. */
export function createLookUpCache({ now }: { now: () => number }): LookUpCache {
  const answers = new Map<string, { items: LookupItem[]; keptUntil: number }>();
  return {
    async get(parts, ask) {
      const key = JSON.stringify(parts);
      const kept = answers.get(key);
      const at = now();
      // If the clock was set back, an old entry would otherwise look fresh for too long.
      if (kept !== undefined && at < kept.keptUntil && kept.keptUntil - at <= keptMsMax) {
        return kept.items;
      }
      const items = await ask();
      answers.delete(key);
      answers.set(key, { items, keptUntil: now() + keptMsMax });
      dropOldest(answers);
      return items;
    },
  };
}

/** A map lists its entries in the order of insertion, so the first is the oldest. */
function dropOldest(answers: Map<string, unknown>): void {
  if (answers.size <= answersMax) return;
  const [oldest] = answers.keys();
  if (oldest !== undefined) answers.delete(oldest);
}
