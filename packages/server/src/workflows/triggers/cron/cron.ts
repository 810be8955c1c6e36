import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/timers.ts";
import { yieldToEventLoop } from "../../../lib/yield-to-event-loop.ts";
import type { Db } from "../../../store/database.ts";
import {
  type CronTrigger,
  listCronTriggers,
  settleTicks,
} from "../../../store/workflow-triggers.ts";
import type { Engine } from "../../engine/engine.ts";
import type { RunRequest } from "../../engine/prepare-run.ts";
import { isUnavailable } from "../../engine/wait-for-database.ts";
import type { WorkflowDirectory } from "../../workflow-directory.ts";
import { type FiredTrigger, findTrigger } from "../trigger-run.ts";
import { type CronTimes, createCronTimes, toLocalTime } from "./cron-times.ts";
import { createDueQueue } from "./due-queue.ts";

/** Fires the ticks of cron triggers. Several servers may do so: each tick starts one run. */
export type Cron = {
  /** Fires what is due, now and from now on. */
  start(): void;
  stop(): Promise<void>;
  /** Takes up changed triggers and fires what is due. */
  fireDue(): Promise<void>;
};

type CronDeps = {
  db: Db;
  readRevision(): Promise<number>;
  directory: WorkflowDirectory;
  engine: Pick<Engine, "accept" | "plans">;
  findCaller(userId: string): Promise<Caller | null>;
  /** Of triggers that name none. */
  timezone: string;
  now(): number;
  timers: Timers;
  /** `of` is the trigger, if it is known. */
  logFailure(err: unknown, of?: { workflowId: string; triggerId: string }): void;
};

/** A trigger with its next tick. */
type Entry = {
  trigger: CronTrigger;
  times: CronTimes;
  tickAt: number;
  /** When the tick is tried: at its time, or later after a failure. */
  dueAt: number;
  /** Of ticks that fail one after another, only the first is logged. */
  isFailing: boolean;
};

/** How often changed triggers are looked for. */
const pollMs = 1_000;
const retryMs = 1_000;
/** A tick that is later than this passed while no hub ran, or while the clock was wrong. */
const lateMsMax = 10_000;
/** A trigger that was published so recently has missed no tick. */
const freshMsMax = 5_000;
/** A clock that went back by more than this was corrected. */
const backMsMin = 2_000;
/** Ticks that are stored together. */
const firedAtOnce = 50;
/** Times that are computed between two turns of the event loop: each takes up to a millisecond. */
const parsedAtOnce = 20;

export function createCron(deps: CronDeps): Cron {
  const { db, now, timers } = deps;
  const due = createDueQueue<Entry>();
  let entries = new Map<string, Entry>();
  let revision: number | null = null;
  let seenAt = 0;
  let isStopping = false;
  let clear = () => {};
  let firing: Promise<void> | null = null;

  async function fireDue(): Promise<void> {
    await reload();
    const at = now();
    if (at < seenAt - backMsMin) await rewind(at);
    seenAt = at;
    while (!isStopping) {
      const taken = takeDue(at);
      if (taken.length === 0) return;
      await Promise.all(taken.map((entry) => fire(entry, at)));
      for (const entry of taken) if (Number.isFinite(entry.dueAt)) due.add(entry);
      await yieldToEventLoop();
    }
  }

  function takeDue(at: number): Entry[] {
    const taken: Entry[] = [];
    while (taken.length < firedAtOnce) {
      const entry = due.takeDue(at);
      if (entry === null) break;
      taken.push(entry);
    }
    return taken;
  }

  /** Takes up the triggers as they are now, and keeps the ticks of those that are the same. */
  async function reload(): Promise<void> {
    const present = await deps.readRevision();
    if (present === revision) return;
    const next = new Map<string, Entry>();
    let parsed = 0;
    for (const trigger of await listCronTriggers(db)) {
      const key = `${trigger.workflowId} ${trigger.triggerId}`;
      const known = entries.get(key);
      const entry = known !== undefined && isSame(known.trigger, trigger) ? known : open(trigger);
      if (entry === null) continue;
      next.set(key, entry);
      if (entry === known) continue;
      parsed += 1;
      if (parsed % parsedAtOnce === 0) await yieldToEventLoop();
    }
    entries = next;
    due.fill(entries.values());
    revision = present;
  }

  function open(trigger: CronTrigger): Entry | null {
    const at = now();
    try {
      const times = createCronTimes(trigger.schedule, trigger.timezone ?? deps.timezone);
      const tickAt = findFirst(trigger, times, at);
      return tickAt === null ? null : { trigger, times, tickAt, dueAt: tickAt, isFailing: false };
    } catch (err) {
      deps.logFailure(err);
      return null;
    }
  }

  /** After the clock was set back, the next ticks are nearer. Those that have fired do not fire again. */
  async function rewind(at: number): Promise<void> {
    let found = 0;
    for (const entry of entries.values()) {
      setTick(entry, entry.times.findNext(at));
      found += 1;
      if (found % parsedAtOnce === 0) await yieldToEventLoop();
    }
    due.fill(entries.values());
  }

  async function fire(entry: Entry, at: number): Promise<void> {
    const { trigger, times, tickAt } = entry;
    const isMissed = at - tickAt > lateMsMax;
    if (isMissed && trigger.catchUp !== "last") return setTick(entry, times.findNext(at));
    const tick = isMissed ? (times.findLast(at) ?? tickAt) : tickAt;
    try {
      const request = await toRequest(entry, tick, at);
      if (request !== null) await deps.engine.accept(request);
      if (trigger.catchUp === "last") await settleTicks(db, { ...toAddress(trigger), at: tick });
      entry.isFailing = false;
    } catch (err) {
      if (!entry.isFailing) deps.logFailure(err, toAddress(trigger));
      entry.isFailing = true;
      entry.dueAt = at + retryMs;
      return;
    }
    setTick(entry, times.findNext(tick));
  }

  /** Null for a tick that starts no run. */
  async function toRequest(
    { trigger, times }: Entry,
    tick: number,
    at: number,
  ): Promise<RunRequest | null> {
    const fired = await findFired(trigger);
    if (fired === null || (await deps.findCaller(fired.workflow.ownerId)) === null) return null;
    // Another version was published just now: its ticks come with the next reload.
    if (fired.trigger.schedule !== trigger.schedule) return null;
    const time = new Date(tick).toISOString();
    return {
      ...fired,
      payload: {
        time,
        local_time: toLocalTime(tick, times.timezone),
        schedule: trigger.schedule,
        timezone: times.timezone,
        caught_up: at - tick > lateMsMax,
      },
      startedBy: `cron ${trigger.triggerId}`,
      starterIds: [],
      deliveryId: `tick:${time}`,
    };
  }

  async function findFired(trigger: CronTrigger): Promise<FiredTrigger<"cron"> | null> {
    const { directory, engine } = deps;
    try {
      return await findTrigger({ directory, plans: engine.plans }, "cron", toAddress(trigger));
    } catch (err) {
      // A body that cannot be read now cannot be read in a second either.
      if (!(err instanceof HubError) || isUnavailable(err)) throw err;
      deps.logFailure(err);
      return null;
    }
  }

  function run(): void {
    firing = fireDue()
      .then(
        () => toDelay(due.nextDueAt(), now()),
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

function setTick(entry: Entry, tickAt: number | null): void {
  entry.tickAt = tickAt ?? Number.POSITIVE_INFINITY;
  entry.dueAt = entry.tickAt;
}

/** The first tick that a server fires: also one that passed while no server ran, with `catch_up: last`. */
function findFirst(trigger: CronTrigger, times: CronTimes, at: number): number | null {
  const { settledAt, catchUp } = trigger;
  if (settledAt <= at && at - settledAt < freshMsMax) return times.findNext(settledAt);
  const last = catchUp === "last" ? times.findLast(at) : null;
  return last !== null && last > settledAt ? last : times.findNext(at);
}

function toAddress({ workflowId, triggerId }: CronTrigger) {
  return { workflowId, triggerId };
}

function isSame(one: CronTrigger, other: CronTrigger): boolean {
  return (
    one.schedule === other.schedule &&
    one.timezone === other.timezone &&
    one.catchUp === other.catchUp
  );
}
