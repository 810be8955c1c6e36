/** Attempts that are remembered at once; past it the oldest is forgotten. */
const attemptsMax = 10_000;

/** Remembers which attempts were finished, so that none counts twice while its cookie would. */
export function createUsedAttempts() {
  const used = new Set<string>();
  return {
    /** False where it was used before. */
    take(state: string): boolean {
      if (used.has(state)) return false;
      used.add(state);
      const [oldest] = used;
      if (used.size > attemptsMax && oldest !== undefined) used.delete(oldest);
      return true;
    },
  };
}
