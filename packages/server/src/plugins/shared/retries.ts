type Failure = { attempt: string; message: string; count: number; nextAt: number };

const firstPauseMs = 5_000;
const pauseMsMax = 10 * 60_000;

/** Failed attempts by key, which are made again with growing pauses. */
export type Retries = ReturnType<typeof createRetries>;

export function createRetries({ now }: { now: () => number }) {
  const failures = new Map<string, Failure>();
  return {
    /** Another attempt, such as a new version, is due at once. */
    isDue(key: string, attempt: string): boolean {
      const failure = failures.get(key);
      return failure === undefined || failure.attempt !== attempt || now() >= failure.nextAt;
    },
    /** True if the key has not failed with this message before. */
    fail(key: string, attempt: string, message: string): boolean {
      const before = failures.get(key);
      const count = before?.attempt === attempt ? before.count + 1 : 1;
      const pauseMs = Math.min(firstPauseMs * 2 ** (count - 1), pauseMsMax);
      failures.set(key, { attempt, message, count, nextAt: now() + pauseMs });
      return before?.message !== message;
    },
    /** True if the key had failed. */
    clear: (key: string): boolean => failures.delete(key),
    /** The last failure of an attempt whose name begins with `start`. */
    findMessage(key: string, start: string): string | null {
      const failure = failures.get(key);
      return failure?.attempt.startsWith(start) ? failure.message : null;
    },
    /** The keys that have failed and are not among these. */
    listOthers: (keys: ReadonlySet<string>) => [...failures.keys()].filter((key) => !keys.has(key)),
  };
}
