/** The bytes that each of many workflows stores in a day. */
export type DailyBytes = {
  /** Counts them. Returns 0, or how long to wait in ms; then nothing is counted. */
  take(workflowId: string, bytes: number): number;
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

  /** What is left of earlier bytes. A clock that was set back lets nothing grow. */
  function readLevel(workflowId: string, at: number): number {
    const level = levels.get(workflowId);
    if (level === undefined) return 0;
    return Math.max(0, level.bytes - (Math.max(0, at - level.at) * perDay) / dayMs);
  }

  return {
    take(workflowId, bytes) {
      if (perDay === 0) return 0;
      const at = now();
      const level = readLevel(workflowId, at) + bytes;
      if (level > perDay) return Math.ceil(((level - perDay) * dayMs) / perDay);
      levels.delete(workflowId);
      levels.set(workflowId, { bytes: level, at });
      const [oldest] = levels.keys();
      if (levels.size > knownMax && oldest !== undefined) levels.delete(oldest);
      return 0;
    },
  };
}
