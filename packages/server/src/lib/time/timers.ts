/** A clock with timers, which tests replace. */
export type Timers = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `action` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, action: () => void): () => void;
};

/** The machine's clock. */
export const systemTimers: Timers = {
  now: () => Date.now(),
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    return () => clearTimeout(timer);
  },
};
