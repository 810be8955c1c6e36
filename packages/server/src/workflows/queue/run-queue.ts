import type { DueMark } from "../../store/workflow-writes/run-transaction.ts";

/**
 * Wakes other servers for runs that this one leaves to them. The table of runs is the truth: only one
 * claim of a run succeeds, and every server looks for due runs each half second. So what is offered may be
 * delivered twice, late or never.
 */
export type RunQueue = {
  /** Follows the commit that left the runs to any server. Returns at once, and never throws. */
  offer(runs: readonly DueMark[]): void;
  /** From now on, calls `onOffer` when another server may have offered runs. */
  consume(onOffer: () => void): void;
  /** Delivers what was offered, and calls nothing more. */
  close(): Promise<void>;
};
