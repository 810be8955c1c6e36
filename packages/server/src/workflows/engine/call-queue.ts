/** Limits the concurrent calls of each owner's workflows. Further calls wait, in their order. */
export type CallQueue = {
  /**
   * Resolves when the call may begin, with a function that ends it. Rejects with the reason of the
   * signal.
   */
  enter(ownerId: string, signal: AbortSignal): Promise<() => void>;
};

type Line = { running: number; waiting: Set<() => void> };

export function createCallQueue({ atOnce }: { atOnce: number }): CallQueue {
  const lines = new Map<string, Line>();

  function leave(ownerId: string, line: Line): void {
    const [next] = line.waiting;
    if (next !== undefined) {
      // The place is passed on, so that no newcomer overtakes.
      line.waiting.delete(next);
      next();
      return;
    }
    line.running -= 1;
    if (line.running === 0) lines.delete(ownerId);
  }

  return {
    async enter(ownerId, signal) {
      signal.throwIfAborted();
      const line = lines.get(ownerId) ?? { running: 0, waiting: new Set() };
      lines.set(ownerId, line);
      if (line.running < atOnce) line.running += 1;
      else await waitForTurn(line, signal);
      return () => leave(ownerId, line);
    },
  };
}

function waitForTurn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const onAbort = () => {
      waiting.delete(begin);
      reject(signal.reason);
    };
    waiting.add(begin);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
