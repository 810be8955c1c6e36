/** The bytes that each of many owners stores in a day. */
export type DailyBytes = {
  /** How long to wait before these bytes may be stored, in ms; 0 if they may be stored now. */
  findWaitMs(owner: string, bytes: number): number;
  /** Counts what is stored. */
  add(owner: string, bytes: number): void;
};

type Level = { bytes: number; at: number };

const dayMs = 24 * 60 * 60 * 1000;
/** Of more, those that stored nothing for longest are forgotten. */
const knownMax = 10_000;

/**
 * After a pause, all bytes of a day may come at once; then they come back evenly over a day. Each process counts for
 * itself. 0 is no limit.
 */
export function createDailyBytes(deps: { now(): number; perDay: number }): DailyBytes {
  const { now, perDay } = deps;
  const levels = new Map<string, Level>();

  /** What is left of earlier bytes. A clock that was set back gives nothing. */
  function readLevel(owner: string, at: number): number {
    const level = levels.get(owner);
    if (level === undefined) return 0;
    return Math.max(0, level.bytes - (Math.max(0, at - level.at) * perDay) / dayMs);
  }

  return {
    findWaitMs(owner, bytes) {
      if (perDay === 0) return 0;
      const over = readLevel(owner, now()) + bytes - perDay;
      return over <= 0 ? 0 : Math.ceil((over * dayMs) / perDay);
    },
    add(owner, bytes) {
      if (perDay === 0) return;
      const at = now();
      const level = readLevel(owner, at) + bytes;
      levels.delete(owner);
      levels.set(owner, { bytes: level, at });
      const [oldest] = levels.keys();
      if (levels.size > knownMax && oldest !== undefined) levels.delete(oldest);
    },
  };
}
