import type { Timers } from "../../../lib/time/timers.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { CronEntries, type EntryDeps } from "./cron-entries.ts";
import { type FireDeps, fireTick } from "./fire-tick.ts";

/** Fires the ticks of cron triggers. Several servers may do so: each tick starts one run. */
export type Cron = {
  /** Fires what is due, now and from now on. */
  start(): void;
  stop(): Promise<void>;
  /** Takes up changed triggers and fires what is due. */
  fireDue(): Promise<void>;
};

type CronDeps = Omit<EntryDeps, "logFailure"> & FireDeps & { timers: Timers };

/** How often changed triggers are looked for. */
const pollMs = 1_000;
/** A clock that went back by more than this was corrected. */
const backMsMin = 2_000;
/** Ticks that are stored together. */
const firedAtOnce = 50;

export function createCron(deps: CronDeps): Cron {
  const { now, timers } = deps;
  const entries = new CronEntries(deps);
  let seenAt = 0;
  let isStopping = false;
  let clear = () => {};
  let firing: Promise<void> | null = null;

  async function fireDue(): Promise<void> {
    await entries.reload();
    const at = now();
    if (at < seenAt - backMsMin) await entries.rewind(at);
    seenAt = at;
    while (!isStopping) {
      const taken = entries.takeDue(at, firedAtOnce);
      if (taken.length === 0) return;
      await Promise.all(taken.map((entry) => fireTick(deps, entry, at)));
      entries.putBack(taken);
      await yieldToEventLoop();
    }
  }

  function run(): void {
    firing = fireDue()
      .then(
        () => toDelay(entries.nextDueAt(), now()),
        (err: unknown) => {
          deps.logFailure(err);
          return pollMs;
        },
      )
      .then((delayMs) => {
        firing = null;
        if (!isStopping) clear = timers.after(delayMs, run);
      });
  }

  return {
    fireDue,
    start: run,
    async stop() {
      isStopping = true;
      clear();
      await firing;
    },
  };
}

function toDelay(dueAt: number | null, at: number): number {
  return dueAt === null ? pollMs : Math.min(Math.max(dueAt - at, 0), pollMs);
}
