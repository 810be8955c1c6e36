import type { Timers } from "../lib/time/timers.ts";

type RoundDeps = {
  timers: Pick<Timers, "after">;
  /** Aborts when no further round begins. */
  signal: AbortSignal;
  /** Returns how long to wait before the next round, in ms, or null if there is nothing left to do. */
  round(): Promise<number | null>;
};

/** Work in rounds that goes on in the background until nothing is left. */
export class BackgroundRounds {
  readonly #deps: RoundDeps;
  #working: Promise<void> | null = null;
  #isResting = false;
  #wake = () => {};
  readonly #waiting: Array<() => void> = [];

  constructor(deps: RoundDeps) {
    this.#deps = deps;
  }

  /** Begins a round, also if the next one waits. */
  start(): void {
    if (this.#deps.signal.aborted) return;
    if (this.#working === null) this.#working = this.#run();
    else this.#wake();
  }

  /** Resolves when nothing is left, or the next round waits. */
  async complete(): Promise<void> {
    if (this.#working === null || this.#isResting) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Waits for the end of the current round. Called after the signal has aborted. */
  async stop(): Promise<void> {
    this.#wake();
    await this.#working;
  }

  async #run(): Promise<void> {
    try {
      while (!this.#deps.signal.aborted) {
        const delayMs = await this.#deps.round();
        if (delayMs === null) return;
        if (delayMs > 0) await this.#rest(delayMs);
      }
    } finally {
      this.#working = null;
      this.#completeAll();
    }
  }

  /** Waits, but not longer than until `start` or `stop` is called. */
  #rest(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.timers.after(delayMs, () => this.#wake());
      this.#isResting = true;
      this.#wake = () => {
        cancel();
        this.#isResting = false;
        this.#wake = () => {};
        resolve();
      };
      this.#completeAll();
      if (this.#deps.signal.aborted) this.#wake();
    });
  }

  #completeAll(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
