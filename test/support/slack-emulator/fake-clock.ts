/** A clock that stands still until a test moves it. It begins at the real time, so that signatures are recent. */
export type FakeClock = {
  now(): number;
  /** Runs what is due, in order, also what becomes due meanwhile. */
  advance(ms: number): void;
  after(ms: number, run: () => void): { cancel(): void };
};

export function createFakeClock(): FakeClock {
  type Timer = { at: number; run: () => void };
  let now = Date.now();
  const timers = new Set<Timer>();
  const takeDue = (until: number): Timer | null => {
    let first: Timer | null = null;
    for (const timer of timers) {
      if (timer.at <= until && (!first || timer.at < first.at)) first = timer;
    }
    if (first) timers.delete(first);
    return first;
  };
  return {
    now: () => now,
    advance(ms) {
      const until = now + ms;
      for (let timer = takeDue(until); timer; timer = takeDue(until)) {
        now = Math.max(now, timer.at);
        timer.run();
      }
      now = until;
    },
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
  };
}
