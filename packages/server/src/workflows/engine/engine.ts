import type { Caller } from "../../caller.ts";
import { HubError, toHubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import type { Db } from "../../store/database.ts";
import type {
  Acceptance,
  AcceptWrite,
  Cancellation,
  ClaimedRun,
  CommitWrite,
  Lease,
  QueuePolicy,
} from "../../store/workflow-run-records.ts";
import {
  findWorkflowRun,
  listCancelRequests,
  releaseWorkflowRuns,
} from "../../store/workflow-runs.ts";
import type { WorkflowWriter } from "../../store/workflow-writer.ts";
import { toEventBytes } from "../../store/workflow-writes/accept-run.ts";
import type { DueMark } from "../../store/workflow-writes/run-transaction.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import { createTemplateCache } from "../templates/template-cache.ts";
import { findScheduleTime } from "../triggers/schedule-at.ts";
import type { KnownWorkflow, WorkflowDirectory } from "../workflow-directory.ts";
import { createCallQueue } from "./call-queue.ts";
import { createComputeTurns } from "./compute-turns.ts";
import { createDueRuns } from "./due-runs.ts";
import { LeaseLostError } from "./lease-lost-error.ts";
import { type LoadedFrom, loadRun } from "./load-run.ts";
import type { NodeTypes } from "./open-step.ts";
import { createPlans, type Plan, type Plans } from "./plan.ts";
import { prepareRun, type RunRequest, toQueuePolicy } from "./prepare-run.ts";
import { createRunCommits, type RunCommits } from "./run-commits.ts";
import { type RunFailure, toFailureText } from "./run-failure.ts";
import {
  findChildEnd,
  findOwner,
  findOwnerRefusal,
  requestChild,
  waitForRun,
} from "./run-links.ts";
import type { UsedRow } from "./run-mask.ts";
import { createRunRoom, type TakenRoom } from "./run-room.ts";
import { createRunWatch, type RunWatch } from "./run-watch.ts";
import { sealEvent } from "./seal-event.ts";
import type { SealLarge } from "./seal-large.ts";
import { createStepCommits } from "./step-commits.ts";
import { createStrayRuns } from "./stray-runs.ts";
import { createWaitForDatabase, isUnavailable } from "./wait-for-database.ts";
import { type Walk, walkRun } from "./walk-run.ts";
import type { WalkDeps } from "./walk-state.ts";

/** Runs workflows. */
export type Engine = {
  plans: Plans;
  watch: RunWatch;
  /** Stores a run and starts it if there is room. Resolves when it is on disk. */
  accept(request: RunRequest): Promise<{ runId: string; acceptance: Acceptance }>;
  cancel(run: { id: string; workflowId: string }, reason: string): Promise<Cancellation>;
  /** Takes up runs that are due, now and from now on. */
  start(): void;
  /** Starts nothing more, waits for what is in flight, and leaves the rest to other processes. */
  stop(): Promise<void>;
  countActive(): number;
};

export type EngineDeps = {
  db: Db;
  writer: WorkflowWriter;
  directory: WorkflowDirectory;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
  nodeTypes: NodeTypes;
  /** The row of an operation with its secrets. Null if there is none now. */
  findUsedRow(toolId: string): Promise<UsedRow | null>;
  readBody(bodyId: string): Promise<string | null>;
  findCaller(userId: string): Promise<Caller | null>;
  /** The runs of error triggers that follow a failed run. */
  findErrorRuns(run: ClaimedRun, failure: RunFailure): Promise<RunRequest[]>;
  createRunId(): string;
  instanceId: string;
  now(): number;
  timers: Timers;
  logFailure(err: unknown, place: { runId: string | null; nodeId: string | null }): void;
  queue: RunQueue;
  /** How many runs this process works on at the same time. */
  activeMax?: number;
  /** How many calls of one owner's workflows this process makes at the same time. */
  callsAtOnce?: number;
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

/** Of a run whose body cannot be read. */
const unknownQueue: QueuePolicy = {
  policy: "parallel",
  runsAtOnce: 256,
  waitingMax: 0,
  waitingBytesMax: 0,
  scheduledMax: 0,
};

export function createEngine(deps: EngineDeps): Engine {
  const { writer, db, timers, now, instanceId, activeMax = 512, drainMs = 10_000 } = deps;
  const plans = createPlans({ readBody: deps.readBody });
  const templates = createTemplateCache({ charsMax: 4 * 1024 * 1024 });
  const watch = createRunWatch();
  const calls = createCallQueue({ atOnce: deps.callsAtOnce ?? 32 });
  const computeTurns = createComputeTurns();
  const walks = new Map<string, Walk>();
  const givesUp = new AbortController();
  const waitForDatabase = createWaitForDatabase({ timers, givesUp: givesUp.signal });
  /** Runs that are not walked yet. */
  const loading = new Set<string>();
  /** Runs whose end cannot be stored. They stay with this process, so that they do not start again. */
  const broken = new Set<string>();
  const room = createRunRoom({ runsMax: activeMax, bytesMax: activeBytesMax, outputCharsMax });
  let isStopping = false;
  let stopSweeps = () => {};
  let stopFollowing = () => {};
  let sweeping: Promise<void> | null = null;

  const countRoom = () => (isStopping ? 0 : room.count());
  const hasRoom = (ownerId: string) => !isStopping && room.hasFor(ownerId);
  const isKnown = (id: string) => walks.has(id) || loading.has(id) || broken.has(id);
  const strays = createStrayRuns({ db, instanceId, now, isKnown });
  const dueRuns = createDueRuns({
    ...{ db, instanceId, now, timers, countRoom, loadQueue, aheadMs: sweepMs },
    listFull: room.listFull,
    writer: { claim: (write) => strays.followWrite(writer.claim(write)) },
    roomMin: Math.min(roomMin, activeMax),
    onClaimed: (run) => startRun({ run, isNew: false }),
    onFailure: (err) => deps.logFailure(err, { runId: null, nodeId: null }),
  });

  /** Runs that any process may take up: this one, or others if it has no room. */
  function onDue(runs: readonly DueMark[]): void {
    const at = now();
    const startable = runs.filter(({ dueAt }) => dueAt <= at);
    const isTooMuch = startable.length > countRoom() || room.listFull().length > 0;
    if (isTooMuch) deps.queue.offer(startable);
    for (const { dueAt } of runs) dueRuns.expect(dueAt);
  }

  async function accept(request: RunRequest) {
    const sealed = await sealEvent(deps, request);
    const prepared = prepareRun({ now, createRunId: deps.createRunId }, sealed);
    const claimBy = hasRoom(request.workflow.ownerId) ? instanceId : null;
    const acceptance = await strays.followWrite(writer.accept({ ...prepared, claimBy }));
    if (acceptance.kind === "started") startAccepted(prepared.run, acceptance.lease);
    return { runId: prepared.run.id, acceptance };
  }

  function startAccepted(run: AcceptWrite["run"], lease: Lease): void {
    const { raw, ...rest } = run;
    const claimed = {
      ...{ ...rest, lease, activeMs: 0, hasAnswer: false, cancelRequestedAt: null },
      eventBytes: toEventBytes(run),
    };
    startRun({ run: claimed, raw, isNew: true });
  }

  function startRun(from: LoadedFrom): void {
    const { run } = from;
    loading.add(run.id);
    const taken = room.take(run);
    const commits = createWatchedCommits(run);
    const opened = open(from, commits, taken).finally(() => loading.delete(run.id));
    const finished = opened.then(async (walk) => {
      walks.set(run.id, walk);
      if (run.cancelRequestedAt !== null) walk.cancel("The run was cancelled.");
      if (isStopping) walk.handOver();
      const { next } = await walk.done.finally(() => {
        if (walks.get(run.id) === walk) walks.delete(run.id);
      });
      watch.notify(run.id);
      if (next !== null) startRun({ run: next, isNew: false });
    });
    finished
      .finally(() => {
        taken.leave();
        dueRuns.noteRoom();
      })
      .catch((thrown: unknown) => failBroken(run, commits, thrown))
      .catch((err: unknown) => {
        if (err instanceof LeaseLostError) return;
        broken.add(run.id);
        deps.logFailure(err, { runId: run.id, nodeId: null });
      });
  }

  async function open(
    from: LoadedFrom,
    commits: RunCommits,
    { addOutput }: TakenRoom,
  ): Promise<Walk> {
    const { run } = from;
    const { start, workflow, plan } = await waitForDatabase(() => load(from));
    const walkDeps = createWalkDeps(run, commits, { workflow, plan });
    return walkRun({ ...walkDeps, addOutput }, start);
  }

  async function load(from: LoadedFrom) {
    const { run } = from;
    const [workflow, plan] = await Promise.all([
      deps.directory.find(run.workflowId),
      plans.load(run.bodyId),
    ]);
    if (workflow === null) throw new HubError("not_found", "The workflow was deleted.");
    // A new run was accepted for an active owner. Since an older one was, the owner may have changed.
    const refusal = from.isNew ? null : await findOwnerRefusal(deps, run);
    const start = await loadRun(deps, from, workflow, plan);
    return { start: { ...start, refusal }, workflow, plan };
  }

  /** Ends a run that cannot go on: its workflow was deleted, or the hub's own code failed. */
  async function failBroken(run: ClaimedRun, commits: RunCommits, thrown: unknown): Promise<void> {
    if (thrown instanceof LeaseLostError) return;
    const { message, code } = toHubError(thrown);
    if (code === "internal") deps.logFailure(thrown, { runId: run.id, nodeId: null });
    const failure: RunFailure = { message, code, nodeId: null, severity: run.severity };
    const starts = await findErrorStarts(run, failure).catch((err: unknown) => {
      deps.logFailure(err, { runId: run.id, nodeId: null });
      return [];
    });
    await commits.commit({
      starts,
      turn: {
        kind: "end",
        state: "failed",
        error: toFailureText(failure),
        lastNode: null,
        waiterRunId: run.waiterRunId,
        activeMs: run.activeMs,
        queue: unknownQueue,
        claimBy: null,
      },
    });
    watch.notify(run.id);
  }

  function toAccept(request: RunRequest): AcceptWrite {
    const prepared = prepareRun({ now, createRunId: deps.createRunId }, request);
    const claimBy = hasRoom(request.workflow.ownerId) ? instanceId : null;
    return { ...prepared, claimBy };
  }

  async function findErrorStarts(run: ClaimedRun, failure: RunFailure): Promise<AcceptWrite[]> {
    const starts: AcceptWrite[] = [];
    for (const request of await waitForDatabase(() => deps.findErrorRuns(run, failure))) {
      try {
        starts.push(toAccept(await waitForDatabase(() => sealEvent(deps, request))));
      } catch (err) {
        if (err instanceof LeaseLostError) throw err;
        // Another workflow must not stop the end of this run.
        deps.logFailure(err, { runId: run.id, nodeId: null });
      }
    }
    return starts;
  }

  function createWatchedCommits(run: ClaimedRun): RunCommits {
    const followed = {
      commit: (write: CommitWrite) => strays.followWrite(writer.commit(write)),
    };
    const commitsDeps = { writer: followed, timers, now, givesUp: givesUp.signal };
    const commits = createRunCommits(commitsDeps, run);
    return {
      async commit(commit) {
        const committed = await commits.commit(commit);
        watch.notify(run.id);
        (commit.starts ?? []).forEach(({ run: started }, index) => {
          const acceptance = committed.acceptances[index];
          if (acceptance?.kind === "started") startAccepted(started, acceptance.lease);
        });
        if (run.waiterRunId !== null && commit.turn?.kind === "end") watch.notify(run.waiterRunId);
        return committed;
      },
    };
  }

  function createWalkDeps(
    run: ClaimedRun,
    commits: RunCommits,
    { workflow, plan }: { workflow: KnownWorkflow; plan: Plan },
  ): Omit<WalkDeps, "addOutput"> {
    return {
      nodeTypes: deps.nodeTypes,
      commits: createStepCommits(commits, { timers, now }),
      timers,
      now,
      parse: templates.parse,
      waitForDatabase,
      findUsedRow: (toolId) => waitForDatabase(() => deps.findUsedRow(toolId)),
      enterCall: calls.enter,
      computeTurns,
      findOwner: () => waitForDatabase(() => findOwner(deps, run)),
      findScheduled(output) {
        const trigger = plan.body.triggers.find(({ type }) => type === "schedule_at");
        if (trigger === undefined) return null;
        const time = findScheduleTime(output, { now: now(), chainDepth: run.chainDepth });
        if (time === null || "warning" in time) return time;
        const scheduled = toAccept({
          ...{ workflow, plan, trigger, version: run.version, payload: output },
          startedBy: `schedule ${trigger.id}`,
          scheduledAt: time.at,
          chainDepth: run.chainDepth + 1,
          // Otherwise workflows that schedule runs and start from each other's errors would never end.
          errorDepth: run.errorDepth,
        });
        return { run: scheduled };
      },
      prepareChild: async (child) =>
        toAccept(await waitForDatabase(() => requestChild({ ...deps, plans }, run, child))),
      findChildEnd: (runId) => waitForDatabase(() => findChildEnd({ db }, run, runId)),
      waitForRun: (runId, signal) =>
        waitForDatabase(() => waitForRun({ db, watch }, runId, signal)),
      async cancelRun(runId, reason) {
        const found = await findWorkflowRun(db, runId);
        if (found !== null) await cancel(found, reason);
      },
      findErrorRuns: (failure) => findErrorStarts(run, failure),
      findNextOwner: () => (hasRoom(run.ownerId) ? instanceId : null),
      logFailure: (err, nodeId) => deps.logFailure(err, { runId: run.id, nodeId }),
    };
  }

  async function cancel(run: { id: string; workflowId: string }, reason: string) {
    const stored = await findWorkflowRun(db, run.id);
    if (stored === null) return "absent";
    const { id: runId, workflowId } = run;
    const queue = await loadQueue(stored.bodyId);
    const cancelled = await writer.cancel({ runId, workflowId, at: now(), reason, queue });
    if (cancelled === "asked") walks.get(runId)?.cancel(reason);
    if (cancelled === "cancelled") watch.notify(runId);
    return cancelled;
  }

  /** Takes up what is due, and ends what was cancelled by other processes. */
  async function sweep(): Promise<void> {
    const requests = walks.size === 0 ? [] : await listCancelRequests(db, instanceId);
    for (const { id, reason } of requests) walks.get(id)?.cancel(reason);
    await strays.free();
    await dueRuns.look();
    await notifyEnded();
  }

  /** Without a readable body, a run can still be claimed, which fails it, and cancelled. */
  function loadQueue(bodyId: string): Promise<QueuePolicy> {
    return plans.load(bodyId).then(toQueuePolicy, (err) => {
      // The policy is known when the database is back.
      if (isUnavailable(err)) throw err;
      return unknownQueue;
    });
  }

  /** Runs of other processes that are watched here. */
  async function notifyEnded(): Promise<void> {
    const others = watch.list().filter((id) => !walks.has(id));
    for (const id of others.slice(0, 1000)) watch.notify(id);
  }

  function schedule(): void {
    stopSweeps = timers.after(sweepMs, () => {
      sweeping = sweep()
        .catch((err: unknown) => deps.logFailure(err, { runId: null, nodeId: null }))
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
    cancel,
    countActive: () => walks.size + loading.size,
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
      for (const walk of walks.values()) walk.handOver();
      const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
      const clear = timers.after(drainMs, resolve);
      await Promise.race([
        Promise.allSettled([...walks.values()].map(({ done }) => done)),
        timeIsUp,
      ]);
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
