import type { Timers } from "../../../lib/time/timers.ts";

type LoopDeps = {
  timers: Pick<Timers, "after">;
  everyMs: number;
  sweep(): Promise<void>;
  onFailure(err: unknown): void;
};

/** Repeats a sweep. The next one begins `everyMs` after the end of the last one. */
export class SweepLoop {
  readonly #deps: LoopDeps;
  #cancelNext = () => {};
  #sweeping: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { timers, everyMs } = this.#deps;
    this.#cancelNext = timers.after(everyMs, () => this.#begin());
  }

  /** Resolves when no sweep runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelNext();
    await this.#sweeping;
  }

  #begin(): void {
    const { sweep, onFailure } = this.#deps;
    this.#sweeping = sweep()
      .catch(onFailure)
      .finally(() => {
        this.#sweeping = null;
        if (!this.#isStopped) this.start();
      });
  }
}
