/** What each of many owners does or stores in a day, such as bytes. */
export type DailyAmounts = {
  /** How long to wait before so much more is allowed, in ms; 0 if it is allowed now. */
  findWaitMs(owner: string, amount: number): number;
  /** Counts what was done. */
  add(owner: string, amount: number): void;
};

type Level = { amount: number; at: number };

const dayMs = 24 * 60 * 60 * 1000;
/** Of more, those that did nothing for longest are forgotten. */
const knownMax = 10_000;

/**
 * After a pause, the whole amount of a day may come at once; then it comes back evenly over a day. Each process counts
 * for itself. 0 is no limit.
 */
export function createDailyAmounts(deps: { now(): number; perDay: number }): DailyAmounts {
  const { now, perDay } = deps;
  const levels = new Map<string, Level>();

  /** What is left of earlier amounts. A clock that was set back gives nothing. */
  function readLevel(owner: string, at: number): number {
    const level = levels.get(owner);
    if (level === undefined) return 0;
    return Math.max(0, level.amount - (Math.max(0, at - level.at) * perDay) / dayMs);
  }

  return {
    findWaitMs(owner, amount) {
      if (perDay === 0) return 0;
      const over = readLevel(owner, now()) + amount - perDay;
      return over <= 0 ? 0 : Math.ceil((over * dayMs) / perDay);
    },
    add(owner, amount) {
      if (perDay === 0) return;
      const at = now();
      const level = readLevel(owner, at) + amount;
      levels.delete(owner);
      levels.set(owner, { amount: level, at });
      const [oldest] = levels.keys();
      if (levels.size > knownMax && oldest !== undefined) levels.delete(oldest);
    },
  };
}
