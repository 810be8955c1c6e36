import { HubError } from "../../../errors.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { createTrialEndError } from "../limits/draft-run-limit.ts";
import { toStepFailure } from "../step/step-failure.ts";
import { endStep, toRunFailure } from "../step/step-records.ts";
import { restoreAsked, wakeCalls } from "./await-calls.ts";
import { completeApprovals } from "./complete-approvals.ts";
import { completeChild } from "./complete-node.ts";
import { exitRun, findWakeTime, type RunExit } from "./exit-run.ts";
import { finishNode } from "./finish-node.ts";
import { restoreSteps } from "./restore-steps.ts";
import { resumeItems, resumeNode, runNode } from "./run-node.ts";
import { createRunProgress } from "./run-progress.ts";
import {
  type Ending,
  isStopping,
  type WalkContext,
  type WalkDeps,
  type WalkStart,
  type WalkState,
  waitsForPeople,
} from "./walk-state.ts";

/** A run that this process works on. */
export type Walk = {
  /**
   * Resolves when the run has ended, waits, or belongs to another process. `next` is a run of the same
   * workflow for which this one freed capacity.
   */
  done: Promise<RunExit>;
  /** Ends the run early. Calls in flight are cancelled. */
  cancel(reason: string): void;
  /** Looks for decisions of others, if a step waits for one. */
  look(): void;
  /** Starts no further node, and leaves the run to any process. */
  handOver(): void;
};

/**
 * Runs the nodes of a run until it ends or waits: restore what was committed, then start what is ready,
 * store each end, and let what follows start. Each output is stored before a step with effects that
 * follows from it starts.
 */
export function walkRun(deps: WalkDeps, start: WalkStart): Walk {
  const early = new AbortController();
  const state = createState(start);
  const walk: WalkContext = { deps, start, state, early: early.signal, claimedAt: deps.now() };
  const changes = createChanges();

  const endEarly = (endState: Ending["state"], cause: HubError) => {
    const failure = toRunFailure(walk, null, toStepFailure(cause));
    state.ending ??= { state: endState, failure };
    early.abort(cause);
    changes.signal();
  };
  const seconds = start.plan.body.settings.timeout_s;
  const timeoutMs = Math.max(seconds * 1000 - start.run.activeMs, 0);
  const clearTimeLimit = deps.timers.after(timeoutMs, () =>
    endEarly("failed", new HubError("timeout", `The run did not end within its ${seconds} s.`)),
  );
  const { endsAt } = start.context;
  const leftMs = endsAt === undefined ? null : endsAt - deps.now();
  // Before anything starts, if the run has waited until its end.
  if (leftMs !== null && leftMs <= 0) endEarly("failed", createTrialEndError());
  const clearTrialLimit =
    leftMs === null || leftMs <= 0
      ? () => {}
      : deps.timers.after(leftMs, () => endEarly("failed", createTrialEndError()));
  if (start.refusal !== null) endEarly("failed", start.refusal);

  // Before anything starts: it was asked for while another process had the run.
  if (start.run.cancelRequestedAt !== null) {
    endEarly("cancelled", new HubError("cancelled", "The run was cancelled."));
  }

  return {
    done: go(walk, changes).finally(() => {
      clearTimeLimit();
      clearTrialLimit();
    }),
    cancel(reason) {
      endEarly("cancelled", new HubError("cancelled", reason));
      for (const { childRunId } of state.children.values()) {
        deps.runs.cancelRun(childRunId, reason).catch((err) => deps.logFailure(err, null));
      }
    },
    look() {
      if (waitsForPeople(state)) changes.signal();
    },
    handOver() {
      state.isHandingOver = true;
      changes.signal();
    },
  };
}

function createState({ plan, run, context }: WalkStart): WalkState {
  return {
    progress: createRunProgress(plan.graph, run.entry, { isAlone: context.isAlone }),
    started: new Set(),
    asleep: new Map(),
    children: new Map(),
    approvals: new Map(),
    calls: new Map(),
    itemCalls: new Map(),
    atItems: new Set(),
    asked: new Map(),
    gates: new Map(),
    items: new Map(),
    scriptInputs: new Map(),
    position: 0,
    active: 0,
    lastNode: null,
    outputChars: 0,
    ending: null,
    unsure: null,
    unknown: new Set(),
    isHandingOver: false,
    over: null,
  };
}

async function go(walk: WalkContext, changes: Changes): Promise<RunExit> {
  const { state } = walk;
  try {
    await restoreAsked(walk);
    restoreSteps(walk);
    for (;;) {
      await wakeSteps(walk, changes);
      if (!isStopping(state)) startReady(walk, changes);
      if (state.over !== null) return state.over;
      const left = state.active === 0 ? await exitRun(walk) : null;
      if (left !== null) return left;
      if (state.active > 0 || !state.progress.hasReady()) await changes.next(walk);
    }
  } catch (err) {
    if (err instanceof LeaseLostError) return { next: null };
    throw err;
  }
}

/** Ends the waiting steps whose time has come, or whose run has ended. */
async function wakeSteps(walk: WalkContext, changes: Changes): Promise<void> {
  const { deps, state } = walk;
  for (const [id, { node, step, wakeAt }] of state.asleep) {
    if (isStopping(state) || wakeAt > deps.now()) continue;
    state.asleep.delete(id);
    await finishNode(walk, node, endStep(walk, step, "succeeded"));
  }
  await completeApprovals(walk);
  await wakeCalls(walk, {
    resumeNode: (node, step) =>
      startWork(walk, changes, node.id, () => resumeNode(walk, node, step)),
    resumeItems: (id) => startWork(walk, changes, id, () => resumeItems(walk, id)),
  });
  for (const [id, { node, step, childRunId }] of state.children) {
    if (isStopping(state)) return;
    const end = await deps.runs.findChildEnd(childRunId);
    if (end === null && (step.wakeAt === null || step.wakeAt > deps.now())) continue;
    state.children.delete(id);
    if (end === null)
      await deps.runs.cancelRun(childRunId, "The node that waits for it ran out of time.");
    await completeChild(walk, node, step, end);
  }
}

function startReady(walk: WalkContext, changes: Changes): void {
  const { start, state } = walk;
  for (const id of state.progress.takeReady()) {
    const node = start.plan.graph.nodes.get(id);
    if (node === undefined || state.started.has(id)) continue;
    state.started.add(id);
    startWork(walk, changes, id, () => runNode(walk, node));
  }
}

/** Works on a node beside others. */
function startWork(
  walk: WalkContext,
  changes: Changes,
  id: string,
  work: () => Promise<void>,
): void {
  const { deps, state } = walk;
  state.active += 1;
  work()
    .catch((err: unknown) => {
      if (err instanceof LeaseLostError) state.over = { next: null };
      else {
        deps.logFailure(err, id);
        const failure = toRunFailure(walk, id, toStepFailure(err));
        state.ending ??= { state: "failed", failure };
      }
    })
    .finally(() => {
      state.active -= 1;
      changes.signal();
    });
}

/** Wakes the loop when something has happened. */
type Changes = {
  signal(): void;
  /** Resolves at the next change, or when the next sleep is over. */
  next(walk: WalkContext): Promise<void>;
};

function createChanges(): Changes {
  let change = Promise.withResolvers<void>();
  let isSignaled = false;
  return {
    signal() {
      isSignaled = true;
      change.resolve();
    },
    async next(walk) {
      const { deps } = walk;
      const wakeAt = findWakeTime(walk);
      // Between the look at the state and this wait, something may have changed.
      if (!isSignaled) {
        const clear =
          wakeAt === null
            ? () => {}
            : deps.timers.after(Math.max(wakeAt - deps.now(), 0), change.resolve);
        await change.promise.finally(clear);
      }
      isSignaled = false;
      change = Promise.withResolvers<void>();
    },
  };
}
