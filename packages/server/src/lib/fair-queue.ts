/** Limits concurrent jobs, of each owner and of all together. Further jobs wait, and the owners take turns. */
export type FairQueue = {
  /**
   * Resolves when the job may begin, with a function that ends it. Rejects with the reason of the
   * signal, or if too many jobs of the owner wait.
   */
  enter(ownerId: string, signal: AbortSignal): Promise<() => void>;
  /** Jobs of all owners that wait for their turn. */
  countWaiting(): number;
};

type QueueOptions = {
  /** Of all owners. No limit by default. */
  atOnce?: number;
  ownerAtOnce: number;
  /** How many jobs of an owner may wait, and the error of one more. No limit by default. */
  waiting?: { max: number; refuse(): Error };
};

type Line = { running: number; waiting: Set<() => void> };

export function createFairQueue(options: QueueOptions): FairQueue {
  const { atOnce = Number.POSITIVE_INFINITY, ownerAtOnce, waiting } = options;
  /** The owners with jobs, those who wait longest for a turn first. */
  const lines = new Map<string, Line>();
  let running = 0;

  const mayBegin = (line: Line) => running < atOnce && line.running < ownerAtOnce;

  function count(line: Line): void {
    line.running += 1;
    running += 1;
  }

  function leave(ownerId: string, line: Line): void {
    const wasFull = running >= atOnce;
    line.running -= 1;
    running -= 1;
    // Without a limit of all together, only jobs of the same owner have waited for this one.
    if (wasFull) beginNext(lines);
    else beginNext([[ownerId, line]]);
    forget(ownerId, line);
  }

  /** At once, so that no newcomer overtakes. */
  function beginNext(candidates: Iterable<[string, Line]>): void {
    for (const [ownerId, line] of candidates) {
      const [begin] = line.waiting;
      if (begin === undefined || !mayBegin(line)) continue;
      line.waiting.delete(begin);
      count(line);
      // The owner moves to the end of the queue.
      lines.delete(ownerId);
      lines.set(ownerId, line);
      begin();
      return;
    }
  }

  function forget(ownerId: string, line: Line): void {
    if (line.running === 0 && line.waiting.size === 0) lines.delete(ownerId);
  }

  return {
    async enter(ownerId, signal) {
      signal.throwIfAborted();
      const line = lines.get(ownerId) ?? { running: 0, waiting: new Set() };
      if (!mayBegin(line) && waiting !== undefined && line.waiting.size >= waiting.max) {
        throw waiting.refuse();
      }
      lines.set(ownerId, line);
      if (mayBegin(line)) count(line);
      else await waitForTurn(line, signal).finally(() => forget(ownerId, line));
      return () => leave(ownerId, line);
    },
    countWaiting: () => [...lines.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
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
