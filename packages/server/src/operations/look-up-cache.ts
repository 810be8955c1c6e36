import type { LookupItem } from "@hub/connector";

/** What one user was offered of late, so that typing does not ask the outside system again. */
export type LookUpCache = {
  /** The kept answer for these parts, or else what `ask` answers, which is kept. */
  get(parts: readonly string[], ask: () => Promise<LookupItem[]>): Promise<LookupItem[]>;
};

const keptMsMax = 60_000;
const answersMax = 500;

/** Keeps answers for a minute; failures are not kept. */
export function createLookUpCache({ now }: { now: () => number }): LookUpCache {
  const answers = new Map<string, { items: LookupItem[]; keptUntil: number }>();
  return {
    async get(parts, ask) {
      const key = JSON.stringify(parts);
      const kept = answers.get(key);
      const at = now();
      // A clock that was set back must not make an answer older than a minute look fresh for long.
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

/** A map's first entry is the one that was put there longest ago. */
function dropOldest(answers: Map<string, unknown>): void {
  if (answers.size <= answersMax) return;
  const [oldest] = answers.keys();
  if (oldest !== undefined) answers.delete(oldest);
}
