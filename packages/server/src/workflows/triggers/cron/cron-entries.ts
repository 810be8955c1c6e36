import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../../store/database/database.ts";
import { type CronTrigger, listCronTriggers } from "../../../store/workflows/workflow-triggers.ts";
import { type CronTimes, createCronTimes } from "./cron-times.ts";
import { createDueQueue } from "./due-queue.ts";

/** A trigger with its next tick. */
export type CronEntry = {
  trigger: CronTrigger;
  times: CronTimes;
  tickAt: number;
  /** When the tick is tried: at its time, or later after a failure. */
  dueAt: number;
  /** Of ticks that fail one after another, only the first is logged. */
  isFailing: boolean;
};

export type EntryDeps = {
  db: Db;
  readRevision(): Promise<number>;
  /** Of triggers that name none. */
  timezone: string;
  now(): number;
  logFailure(err: unknown): void;
};

/** A trigger that was published so recently has missed no tick. */
const freshMsMax = 5_000;
/** Times that are computed between two turns of the event loop: each takes up to a millisecond. */
const parsedAtOnce = 20;

/** The cron triggers as they are stored, in the order of their ticks. */
export class CronEntries {
  readonly #deps: EntryDeps;
  readonly #due = createDueQueue<CronEntry>();
  #entries = new Map<string, CronEntry>();
  #revision: number | null = null;

  constructor(deps: EntryDeps) {
    this.#deps = deps;
  }

  /** Takes up the triggers as they are now, and keeps the ticks of those that are the same. */
  async reload(): Promise<void> {
    const present = await this.#deps.readRevision();
    if (present === this.#revision) return;
    const next = new Map<string, CronEntry>();
    let parsed = 0;
    for (const trigger of await listCronTriggers(this.#deps.db)) {
      const key = `${trigger.workflowId} ${trigger.triggerId}`;
      const known = this.#entries.get(key);
      const isKnown = known !== undefined && isSame(known.trigger, trigger);
      const entry = isKnown ? known : openEntry(this.#deps, trigger);
      if (entry === null) continue;
      next.set(key, entry);
      if (entry === known) continue;
      parsed += 1;
      if (parsed % parsedAtOnce === 0) await yieldToEventLoop();
    }
    this.#entries = next;
    this.#due.fill(next.values());
    this.#revision = present;
  }

  /** After the clock was set back, the next ticks are nearer. Those that have fired do not fire again. */
  async rewind(at: number): Promise<void> {
    let found = 0;
    for (const entry of this.#entries.values()) {
      setTick(entry, entry.times.findNext(at));
      found += 1;
      if (found % parsedAtOnce === 0) await yieldToEventLoop();
    }
    this.#due.fill(this.#entries.values());
  }

  /** Takes up to `limit` entries that are due, until they are put back. */
  takeDue(at: number, limit: number): CronEntry[] {
    const taken: CronEntry[] = [];
    while (taken.length < limit) {
      const entry = this.#due.takeDue(at);
      if (entry === null) break;
      taken.push(entry);
    }
    return taken;
  }

  /** Puts back entries that were taken. Those without a further tick are left out. */
  putBack(taken: readonly CronEntry[]): void {
    for (const entry of taken) if (Number.isFinite(entry.dueAt)) this.#due.add(entry);
  }

  /** When the next tick is tried. */
  nextDueAt(): number | null {
    return this.#due.nextDueAt();
  }
}

/** Null if the trigger never fires again. */
function openEntry(
  { timezone, now, logFailure }: EntryDeps,
  trigger: CronTrigger,
): CronEntry | null {
  const at = now();
  try {
    const times = createCronTimes(trigger.schedule, trigger.timezone ?? timezone);
    const tickAt = findFirst(trigger, times, at);
    return tickAt === null ? null : { trigger, times, tickAt, dueAt: tickAt, isFailing: false };
  } catch (err) {
    logFailure(err);
    return null;
  }
}

/** The first tick that a server fires: also one that passed while no server ran, with `catch_up: last`. */
function findFirst(trigger: CronTrigger, times: CronTimes, at: number): number | null {
  const { settledAt, catchUp } = trigger;
  if (settledAt <= at && at - settledAt < freshMsMax) return times.findNext(settledAt);
  const last = catchUp === "last" ? times.findLast(at) : null;
  return last !== null && last > settledAt ? last : times.findNext(at);
}

/** Sets the next tick of an entry; null for none. */
export function setTick(entry: CronEntry, tickAt: number | null): void {
  entry.tickAt = tickAt ?? Number.POSITIVE_INFINITY;
  entry.dueAt = entry.tickAt;
}

function isSame(one: CronTrigger, other: CronTrigger): boolean {
  return (
    one.schedule === other.schedule &&
    one.timezone === other.timezone &&
    one.catchUp === other.catchUp
  );
}
