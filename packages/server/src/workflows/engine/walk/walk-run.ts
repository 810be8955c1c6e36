import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import { pendingLimits } from "../../../operations/pending/pending-limits.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { createTrialEndError } from "../limits/draft-run-limit.ts";
import { checkApprovedItems } from "../step/check-approved.ts";
import { createRender } from "../step/create-render.ts";
import { runStep } from "../step/run-step.ts";
import { toStepFailure } from "../step/step-failure.ts";
import { endStep, newStep, toRunFailure } from "../step/step-records.ts";
import {
  endItemCalls,
  findDecided,
  restoreAsked,
  restoreWaiting,
  wakeCalls,
} from "./await-calls.ts";
import { completeApprovals } from "./complete-approvals.ts";
import { completeChild, completeNode, completeUnknown, failNode } from "./complete-node.ts";
import { exitRun, findWakeTime, type RunExit } from "./exit-run.ts";
import { finishNode } from "./finish-node.ts";
import { passOn } from "./pass-on.ts";
import { restoreSteps } from "./restore-steps.ts";
import { runForEach } from "./run-for-each.ts";
import { runItem } from "./run-item.ts";
import { createRunProgress } from "./run-progress.ts";
import {
  type Ending,
  isStopping,
  recordWaiting,
  type WalkContext,
  type WalkDeps,
  type WalkStart,
  type WalkState,
  waitsForPeople,
} from "./walk-state.ts";

/** So many items of a node wait for people before no further one starts. */
const itemCallsMax = pendingLimits.openOfOperation;

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

/** Goes on with a node that has waited for a decision about its call. */
async function resumeNode(
  walk: WalkContext,
  node: WorkflowNode,
  waiting: StepRecord,
): Promise<void> {
  const step: StepRecord = { ...waiting, state: "running", wakeAt: null };
  try {
    const asked = await findDecided(walk, waiting);
    await completeNode(walk, node, await runStep(walk, node, step, null, asked));
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await failNode(walk, node, step, toStepFailure(thrown));
  }
}

async function resumeItems(walk: WalkContext, id: string): Promise<void> {
  const { deps, start, state } = walk;
  const node = start.plan.graph.nodes.get(id);
  if (node === undefined) return;
  state.items.set(id, await deps.reads.readItems(id));
  await runNode(walk, node);
}

async function runNode(walk: WalkContext, node: WorkflowNode): Promise<void> {
  if (node.disabled) return await passOn(walk, node);
  const step = newStep(walk, node.id);
  if (!("for_each" in node) || node.for_each === undefined) {
    const waiting = restoreWaiting(walk, step);
    if (waiting !== null) return recordWaiting(walk.state, node, waiting);
    await completeNode(walk, node, await runStep(walk, node, step, null));
    return;
  }
  const { deps, start, state } = walk;
  try {
    const { for_each: source } = node;
    const listItems = () => createRender(deps, start.data, null).render(source);
    const list = await deps.computeSlices.run(start.run.ownerId, listItems);
    await checkApprovedItems(walk, node, list);
    const done = state.items.get(node.id) ?? new Map();
    const hasRoom = () => (state.itemCalls.get(node.id)?.size ?? 0) < itemCallsMax;
    const stops = (known?: StepRecord) => isStopping(state) || (known === undefined && !hasRoom());
    const outputs = await runForEach({ node, list, done, stops }, (scope) =>
      runItem(walk, node, scope, done.get(scope.index)),
    );
    // Some items did not run, because the run ends or waits.
    if (outputs === null || state.itemCalls.has(node.id)) return;
    if (state.unknown.has(node.id)) return await completeUnknown(walk, node, step);
    const output = start.sealer.toOutputText(outputs);
    const input = JSON.stringify({ items: outputs.length });
    await finishNode(walk, node, endStep(walk, { ...step, input, output }, "succeeded"));
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) throw thrown;
    await endItemCalls(walk, node);
    await failNode(walk, node, step, toStepFailure(thrown));
  } finally {
    state.scriptInputs.delete(node.id);
  }
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
