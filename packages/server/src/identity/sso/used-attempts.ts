/** Maximum number of remembered attempts; above it, the oldest is forgotten. */
const attemptsMax = 10_000;

/** Remembers finished attempts, so that none is used twice while its cookie is valid. */
export function createUsedAttempts() {
  const used = new Set<string>();
  return {
    /** False if it was used before. */
    take(state: string): boolean {
      if (used.has(state)) return false;
      used.add(state);
      const [oldest] = used;
      if (used.size > attemptsMax && oldest !== undefined) used.delete(oldest);
      return true;
    },
  };
}
