import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { Db } from "../../../store/database/database.ts";
import { type CronTrigger, completeTicks } from "../../../store/workflows/workflow-triggers.ts";
import type { RunRequest } from "../../engine/accept/prepare-run.ts";
import { isUnavailable } from "../../engine/claim/wait-for-database.ts";
import type { Engine } from "../../engine/engine.ts";
import type { WorkflowDirectory } from "../../workflow-directory.ts";
import { type FiredTrigger, findFiredTrigger } from "../find-fired-trigger.ts";
import { type CronEntry, setTick } from "./cron-entries.ts";
import { toLocalTime } from "./cron-times.ts";

export type FireDeps = {
  db: Db;
  directory: WorkflowDirectory;
  engine: Pick<Engine, "accept" | "plans">;
  findCaller(userId: string): Promise<Caller | null>;
  /** `of` is the trigger, if it is known. */
  logFailure(err: unknown, of?: { workflowId: string; triggerId: string }): void;
};

const retryMs = 1_000;
/** A tick that is later than this passed while no hub ran, or while the clock was wrong. */
const lateMsMax = 10_000;

/** Starts the run of a tick, and sets the next one. After a failure, the tick is tried again. */
export async function fireTick(deps: FireDeps, entry: CronEntry, at: number): Promise<void> {
  const { trigger, times, tickAt } = entry;
  const isMissed = at - tickAt > lateMsMax;
  if (isMissed && trigger.catchUp !== "last") return setTick(entry, times.findNext(at));
  const tick = isMissed ? (times.findLast(at) ?? tickAt) : tickAt;
  try {
    const request = await toRequest(deps, entry, tick, at);
    if (request !== null) await deps.engine.accept(request);
    if (trigger.catchUp === "last")
      await completeTicks(deps.db, { ...toAddress(trigger), at: tick });
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
  deps: FireDeps,
  { trigger, times }: CronEntry,
  tick: number,
  at: number,
): Promise<RunRequest | null> {
  const fired = await findFired(deps, trigger);
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

async function findFired(
  { directory, engine, logFailure }: FireDeps,
  trigger: CronTrigger,
): Promise<FiredTrigger<"cron"> | null> {
  try {
    return await findFiredTrigger({ directory, plans: engine.plans }, "cron", toAddress(trigger));
  } catch (err) {
    // A body that cannot be read now cannot be read in a second either.
    if (!(err instanceof HubError) || isUnavailable(err)) throw err;
    logFailure(err);
    return null;
  }
}

function toAddress({ workflowId, triggerId }: CronTrigger) {
  return { workflowId, triggerId };
}
