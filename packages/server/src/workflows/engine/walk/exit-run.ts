import type {
  ClaimedRun,
  RunTransition,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import { endStep } from "../step/step-records.ts";
import { toFailureText } from "./run-failure.ts";
import {
  type Ending,
  isWaiting,
  listWaiting,
  type Waiting,
  type WalkContext,
  type WalkState,
  waitsForPeople,
} from "./walk-state.ts";

/** The result of a run's exit from this process. */
export type RunExit = { next: ClaimedRun | null };

/** Sleeps that are shorter than this stay in memory. */
export const napMsMax = 1_000;

/**
 * With nothing in flight: ends the run, or lets it wait without a process. Null if it continues here, now
 * or after a short wait.
 */
export async function exitRun(walk: WalkContext): Promise<RunExit | null> {
  const { deps, state } = walk;
  const { ending, unsure, asleep, children, approvals, calls, itemCalls } = state;
  if (ending !== null) return await endEarly(walk, ending);
  if (state.isHandingOver) return await park(walk, deps.now(), { kind: "handover" });
  if (unsure !== null) return await park(walk, null, { kind: "person", ...unsure });
  if (state.progress.hasReady()) return null;
  const wakeAt = findWakeTime(walk);
  if (wakeAt !== null && wakeAt - deps.now() <= napMsMax) return null;
  if (!isWaiting(state)) {
    const { next } = await deps.commits.commit({ transition: toEndTransition(walk, null) });
    return { next };
  }
  return await park(walk, wakeAt, {
    kind: waitsForPeople(state) ? "approval" : asleep.size > 0 ? "time" : "run",
    node_ids: [approvals, calls, itemCalls, asleep, children].flatMap((steps) => [...steps.keys()]),
    run_ids: [...children.values()].map(({ childRunId }) => childRunId),
  });
}

/**
 * When the next sleeping step goes on, or null. Items of a node that is gone over now wait for its end, whose change is
 * looked at by itself.
 */
export function findWakeTime({
  state,
}: {
  state: Waiting & Pick<WalkState, "atItems">;
}): number | null {
  const times = listWaiting(state)
    .filter(({ nodeId, item }) => item < 0 || !state.atItems.has(nodeId))
    .flatMap(({ wakeAt }) => wakeAt ?? []);
  return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other));
}

async function endEarly(walk: WalkContext, ending: Ending): Promise<RunExit> {
  const steps = listWaiting(walk.state).map((step) => endStep(walk, step, "cancelled"));
  const starts =
    ending.state === "failed" ? await walk.deps.runs.findErrorRuns(ending.failure) : [];
  const transition = toEndTransition(walk, ending);
  const { next } = await walk.deps.commits.commit({ steps, starts, transition });
  return { next };
}

async function park(walk: WalkContext, wakeAt: number | null, reason: object): Promise<RunExit> {
  const { endsAt } = walk.start.context;
  const dueAt = endsAt === undefined ? wakeAt : Math.min(wakeAt ?? endsAt, endsAt);
  const waitingFor = JSON.stringify(reason);
  const activeMs = toActiveMs(walk);
  // A run that is handed over goes on at once.
  const given = walk.state.isHandingOver
    ? { queue: null, claimBy: null }
    : { queue: walk.start.queue, claimBy: walk.deps.runs.findNextOwner() };
  const transition = { kind: "park" as const, dueAt, waitingFor, activeMs, ...given };
  const { next } = await walk.deps.commits.commit({ transition });
  return { next };
}

/** The end of the run: early, or after its last node. */
export function toEndTransition(walk: WalkContext, ending: Ending | null): RunTransition {
  const { deps, start, state } = walk;
  return {
    kind: "end",
    state: ending?.state ?? (state.unknown.size > 0 ? "unknown" : "succeeded"),
    error: ending === null ? null : toFailureText(ending.failure),
    lastNode: state.lastNode,
    waiterRunId: start.run.waiterRunId,
    activeMs: toActiveMs(walk),
    queue: start.queue,
    claimBy: deps.runs.findNextOwner(),
  };
}

function toActiveMs({ deps, start, claimedAt }: WalkContext): number {
  return start.run.activeMs + Math.max(deps.now() - claimedAt, 0);
}
