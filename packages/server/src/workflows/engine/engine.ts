import type { SpaceGuard } from "../../lib/space-guard.ts";
import type { WorkflowRunRecord } from "../../store/workflow-run-columns.ts";
import type {
  Acceptance,
  Cancellation,
  ClaimedRun,
  QueuePolicy,
  StepRecord,
} from "../../store/workflow-run-records.ts";
import {
  findWorkflowRun,
  listCancelRequests,
  releaseWorkflowRuns,
} from "../../store/workflow-runs.ts";
import { sumStepBytes } from "../../store/workflow-steps.ts";
import type { WorkflowWriter } from "../../store/workflow-writer.ts";
import type { DueMark } from "../../store/workflow-writes/run-transaction.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import { type ActiveRunsDeps, createActiveRuns } from "./active-runs.ts";
import { createDueRuns } from "./due-runs.ts";
import { createPlans, type Plans } from "./plan.ts";
import { type RunRequest, toQueuePolicy, unknownQueue } from "./prepare-run.ts";
import type { RunFailure } from "./run-failure.ts";
import { createRunRoom } from "./run-room.ts";
import { createRunStarts } from "./run-starts.ts";
import { toRunBytes, toStoredBytes } from "./run-storage.ts";
import { createRunWatch, type RunWatch } from "./run-watch.ts";
import { sealSteps } from "./seal-event.ts";
import { createStrayRuns } from "./stray-runs.ts";
import { createWaitForDatabase, isUnavailable } from "./wait-for-database.ts";

/** Runs workflows. */
export type Engine = {
  plans: Plans;
  watch: RunWatch;
  /** Stores a run and starts it if there is room. Resolves when it is on disk, with the record of it. */
  accept(request: RunRequest): Promise<{ runId: string; acceptance: Acceptance }>;
  /** Throws `rate_limited` if `accept` would refuse any run of this workflow for what its runs have stored. */
  requireStorage(workflow: Pick<KnownWorkflow, "id" | "ownerId">): void;
  cancel(runId: string, reason: string): Promise<Cancellation>;
  /** Lets a run go on that waits for a person. False if it does not wait any more. */
  decide(decided: Decided): Promise<boolean>;
  /** Wakes this process and others for a run that was made due. */
  wake(mark: DueMark): void;
  /** Takes up runs that are due, now and from now on. */
  start(): void;
  /** Starts nothing more, waits for what is in flight, and leaves the rest to other processes. */
  stop(): Promise<void>;
  countActive(): number;
};

/** What a person has decided about steps of a waiting run. */
export type Decided = {
  run: Pick<WorkflowRunRecord, "id" | "workflowId" | "leaseNumber">;
  workflow: KnownWorkflow;
  steps: readonly StepRecord[];
  again: readonly Pick<StepRecord, "nodeId" | "item">[];
};

export type EngineDeps = Omit<ActiveRunsDeps, "writer"> & {
  writer: WorkflowWriter;
  readBody(bodyId: string): Promise<string | null>;
  /** The runs of error triggers that follow a failed run. */
  findErrorRuns(run: ClaimedRun, failure: RunFailure): Promise<RunRequest[]>;
  createRunId(): string;
  instanceId: string;
  queue: RunQueue;
  space: SpaceGuard;
  /** How many runs this process works on at the same time. */
  activeMax?: number;
  /** How long a stop waits for steps in flight. */
  drainMs?: number;
};

const sweepMs = 500;
/** A look for runs that found no room before is worth this much room. */
const roomMin = 16;
/** Of the events that the runs of this process hold in memory. */
const activeBytesMax = 128 * 1024 * 1024;
/** Of the outputs of these runs. A parsed one can take several times as many bytes. */
const outputCharsMax = 256 * 1024 * 1024;

export function createEngine(deps: EngineDeps): Engine {
  const { writer, db, timers, now, instanceId, activeMax = 512, drainMs = 10_000 } = deps;
  const plans = createPlans({ readBody: deps.readBody });
  const watch = createRunWatch();
  const givesUp = new AbortController();
  const waitForDatabase = createWaitForDatabase({ timers, givesUp: givesUp.signal });
  const room = createRunRoom({ runsMax: activeMax, bytesMax: activeBytesMax, outputCharsMax });
  let isStopping = false;
  let stopSweeps = () => {};
  let stopFollowing = () => {};
  let sweeping: Promise<void> | null = null;

  const countRoom = () => (isStopping ? 0 : room.count());
  const findProcess = (ownerId: string) =>
    !isStopping && room.hasFor(ownerId) ? instanceId : null;
  const logSweepFailure = (err: unknown) => deps.logFailure(err, { runId: null, nodeId: null });
  const strays = createStrayRuns({ db, instanceId, now, isKnown: (id) => runs.isKnown(id) });
  const starts = createRunStarts({ ...deps, plans, findProcess, waitForDatabase });
  const runs = createActiveRuns(deps, {
    ...{ plans, watch, room, starts, strays, waitForDatabase, findProcess },
    async cancelRun(runId, reason) {
      await cancel(runId, reason);
    },
    onRoom: () => dueRuns.noteRoom(),
    givesUp: givesUp.signal,
  });
  const dueRuns = createDueRuns({
    ...{ db, instanceId, now, timers, countRoom, loadQueue, aheadMs: sweepMs },
    listFull: room.listFull,
    writer: { claim: (write) => strays.followWrite(writer.claim(write)) },
    roomMin: Math.min(roomMin, activeMax),
    onClaimed: runs.startClaimed,
    onFailure: logSweepFailure,
  });

  /** Runs that any process may take up: this one, or others if it has no room. */
  function onDue(due: readonly DueMark[]): void {
    const at = now();
    const startable = due.filter(({ dueAt }) => dueAt <= at);
    const isTooMuch = startable.length > countRoom() || room.listFull().length > 0;
    if (isTooMuch) deps.queue.offer(startable);
    for (const { dueAt } of due) dueRuns.expect(dueAt);
  }

  async function accept(request: RunRequest) {
    const write = await starts.seal(request);
    // Steps that it takes over are copied.
    const takenOver =
      write.takeOver === undefined ? 0 : await sumStepBytes(db, write.takeOver.runId);
    const bytes = toRunBytes(write.run) + takenOver;
    deps.storage.require(write.run, bytes);
    deps.space.requireSpace(bytes);
    const acceptance = await strays.followWrite(writer.accept(write));
    deps.storage.add(write.run, toStoredBytes(write.run, acceptance, takenOver));
    if (acceptance.kind === "started") runs.startAccepted(write.run, acceptance.lease);
    const runId = acceptance.kind === "dropped" ? acceptance.runId : write.run.id;
    return { runId, acceptance };
  }

  async function cancel(runId: string, reason: string): Promise<Cancellation> {
    const stored = await findWorkflowRun(db, runId);
    if (stored === null) return "absent";
    const { workflowId, bodyId } = stored;
    const queue = await loadQueue(bodyId);
    const cancelled = await writer.cancel({ runId, workflowId, at: now(), reason, queue });
    if (cancelled === "asked") runs.cancel(runId, reason);
    if (cancelled === "cancelled") watch.notify(runId);
    return cancelled;
  }

  async function decide({ run, workflow, steps, again }: Decided): Promise<boolean> {
    const { id: runId, workflowId, leaseNumber } = run;
    const sealed = await sealSteps(deps, workflow, steps);
    const write = { runId, workflowId, leaseNumber, at: now(), steps: sealed, again };
    const isDone = await strays.followWrite(writer.decide(write));
    if (isDone) watch.notify(runId);
    return isDone;
  }

  /** Takes up what is due, and ends what was cancelled by other processes. */
  async function sweep(): Promise<void> {
    const requests = runs.count() === 0 ? [] : await listCancelRequests(db, instanceId);
    for (const { id, reason } of requests) runs.cancel(id, reason);
    runs.lookForDecisions();
    await strays.free();
    await dueRuns.look();
    await notifyEnded();
  }

  function loadQueue(bodyId: string): Promise<QueuePolicy> {
    return plans.load(bodyId).then(toQueuePolicy, (err) => {
      // The policy is known when the database is back.
      if (isUnavailable(err)) throw err;
      return unknownQueue;
    });
  }

  /** Runs of other processes that are watched here. */
  async function notifyEnded(): Promise<void> {
    const others = watch.list().filter((id) => !runs.isWalked(id));
    for (const id of others.slice(0, 1000)) watch.notify(id);
  }

  function schedule(): void {
    stopSweeps = timers.after(sweepMs, () => {
      sweeping = sweep()
        .catch(logSweepFailure)
        .finally(() => {
          sweeping = null;
          if (!isStopping) schedule();
        });
    });
  }

  return {
    plans,
    watch,
    accept,
    requireStorage: ({ id: workflowId, ownerId }) =>
      deps.storage.require({ workflowId, ownerId }, 1),
    cancel,
    decide,
    wake(mark) {
      runs.lookForDecisions();
      dueRuns.wake();
      // Another server may have the run in its hands, or more room.
      deps.queue.offer([mark]);
    },
    countActive: runs.count,
    start() {
      stopFollowing = writer.followDue(onDue);
      schedule();
      if (activeMax > 0) deps.queue.consume(dueRuns.wake);
    },
    async stop() {
      isStopping = true;
      stopSweeps();
      await sweeping;
      await dueRuns.stop();
      const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
      const clear = timers.after(drainMs, resolve);
      await Promise.race([runs.handOver(), timeIsUp]);
      clear();
      givesUp.abort();
      try {
        const at = now();
        const left = await releaseWorkflowRuns(db, { dead: [instanceId], at });
        deps.queue.offer(left.map((runId) => ({ runId, dueAt: at })));
      } finally {
        stopFollowing();
        await deps.queue.close();
      }
    },
  };
}
