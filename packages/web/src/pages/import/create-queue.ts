/** Does pieces of work in their order, at most `atOnce` at the same time. A piece must not throw. */
export function createQueue(atOnce: number): { add: (work: () => Promise<void>) => void } {
  const waiting: Array<() => Promise<void>> = [];
  let running = 0;
  const next = async () => {
    if (running >= atOnce) return;
    const work = waiting.shift();
    if (work === undefined) return;
    running += 1;
    try {
      await work();
    } finally {
      running -= 1;
      void next();
    }
  };
  return {
    add(work) {
      waiting.push(work);
      void next();
    },
  };
}
