import { releaseWorkflowRuns } from "../../store/workflow-runs/run-leases.ts";
import type { Cancellation, QueuePolicy } from "../../store/workflow-runs/workflow-run-records.ts";
import {
  findWorkflowRun,
  listCancelRequests,
} from "../../store/workflow-runs/workflow-runs-table.ts";
import { sumStepBytes } from "../../store/workflow-runs/workflow-steps.ts";
import type { DueMark } from "../../store/workflow-writes/run-transaction.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import { type RunRequest, toQueuePolicy, unknownQueue } from "./accept/prepare-run.ts";
import { createRunStarts, type RunStarts } from "./accept/run-starts.ts";
import { type ActiveRuns, createActiveRuns } from "./claim/active-runs.ts";
import { createDueRuns, type DueRuns } from "./claim/due-runs.ts";
import { createOrphanedRuns, type OrphanedRuns } from "./claim/orphaned-runs.ts";
import { SweepLoop } from "./claim/sweep-loop.ts";
import { createWaitForDatabase, isUnavailable } from "./claim/wait-for-database.ts";
import { createRunWatch } from "./commit/run-watch.ts";
import type { Decided, Engine, EngineDeps } from "./engine.ts";
import { createRunCapacity, type RunCapacity } from "./limits/run-capacity.ts";
import { toRunBytes, toStoredBytes } from "./limits/run-storage.ts";
import { createPlans, type Plans } from "./plan.ts";
import { sealSteps } from "./secrets/seal-event.ts";

const sweepMs = 500;
const activeMaxDefault = 512;
/** The free capacity from which the process looks again for runs that found none. */
const capacityMin = 16;
/** Of the events that the runs of this process hold in memory. */
const activeBytesMax = 128 * 1024 * 1024;
/** Of the outputs of these runs. A parsed one can take several times as many bytes. */
const outputCharsMax = 256 * 1024 * 1024;

export function createEngine(deps: EngineDeps): Engine {
  return new RunEngine(deps);
}

class RunEngine implements Engine {
  readonly plans: Plans;
  readonly watch = createRunWatch();
  readonly #deps: EngineDeps;
  readonly #givesUp = new AbortController();
  readonly #capacity: RunCapacity;
  readonly #orphaned: OrphanedRuns;
  readonly #starts: RunStarts;
  readonly #runs: ActiveRuns;
  readonly #dueRuns: DueRuns;
  readonly #sweeps: SweepLoop;
  #isStopping = false;
  #stopFollowing = () => {};

  constructor(deps: EngineDeps) {
    const { db, instanceId, timers, now, readBody, activeMax: runsMax = activeMaxDefault } = deps;
    this.#deps = deps;
    this.plans = createPlans({ readBody });
    this.#capacity = createRunCapacity({ runsMax, bytesMax: activeBytesMax, outputCharsMax });
    const isKnown = (id: string) => this.#runs.isKnown(id);
    this.#orphaned = createOrphanedRuns({ db, instanceId, now, isKnown });
    const { signal: givesUp } = this.#givesUp;
    const waitForDatabase = createWaitForDatabase({ timers, givesUp });
    const findProcess = (ownerId: string) => this.#findProcess(ownerId);
    this.#starts = createRunStarts({ ...deps, plans: this.plans, findProcess, waitForDatabase });
    this.#runs = createActiveRuns(deps, {
      plans: this.plans,
      watch: this.watch,
      capacity: this.#capacity,
      starts: this.#starts,
      orphaned: this.#orphaned,
      waitForDatabase,
      findProcess,
      givesUp,
      cancelRun: async (runId, reason) => void (await this.cancel(runId, reason)),
      onCapacity: () => this.#dueRuns.onCapacity(),
    });
    this.#dueRuns = this.#openDueRuns(runsMax);
    const sweep = () => this.#sweep();
    this.#sweeps = new SweepLoop({ timers, everyMs: sweepMs, sweep, onFailure: this.#logFailure });
  }

  #openDueRuns(runsMax: number): DueRuns {
    const { db, instanceId, now, timers, writer } = this.#deps;
    return createDueRuns({
      db,
      instanceId,
      now,
      timers,
      aheadMs: sweepMs,
      countCapacity: () => this.#countCapacity(),
      loadQueue: (bodyId) => this.#loadQueue(bodyId),
      listFull: this.#capacity.listFull,
      writer: { claim: (write) => this.#orphaned.followWrite(writer.claim(write)) },
      capacityMin: Math.min(capacityMin, runsMax),
      onClaimed: (run) => this.#runs.startClaimed(run),
      onFailure: this.#logFailure,
    });
  }

  async accept(request: RunRequest) {
    const { storage, space, writer, db } = this.#deps;
    const write = await this.#starts.seal(request);
    // Steps that it takes over are copied.
    const takenOver =
      write.takeOver === undefined ? 0 : await sumStepBytes(db, write.takeOver.runId);
    const bytes = toRunBytes(write.run) + takenOver;
    storage.require(write.run, bytes);
    space.requireSpace(bytes);
    const acceptance = await this.#orphaned.followWrite(writer.accept(write));
    storage.add(write.run, toStoredBytes(write.run, acceptance, takenOver));
    if (acceptance.kind === "started") this.#runs.startAccepted(write.run, acceptance.lease);
    const runId = acceptance.kind === "dropped" ? acceptance.runId : write.run.id;
    return { runId, acceptance };
  }

  requireStorage({ id: workflowId, ownerId }: Pick<KnownWorkflow, "id" | "ownerId">): void {
    this.#deps.storage.require({ workflowId, ownerId }, 1);
  }

  async cancel(runId: string, reason: string): Promise<Cancellation> {
    const { db, writer, now } = this.#deps;
    const stored = await findWorkflowRun(db, runId);
    if (stored === null) return "absent";
    const { workflowId, bodyId } = stored;
    const queue = await this.#loadQueue(bodyId);
    const cancelled = await writer.cancel({ runId, workflowId, at: now(), reason, queue });
    if (cancelled === "asked") this.#runs.cancel(runId, reason);
    if (cancelled === "cancelled") this.watch.notify(runId);
    return cancelled;
  }

  async decide({ run, workflow, steps, again }: Decided): Promise<boolean> {
    const { id: runId, workflowId, leaseNumber } = run;
    const sealed = await sealSteps(this.#deps, workflow, steps);
    const at = this.#deps.now();
    const write = { runId, workflowId, leaseNumber, at, steps: sealed, again };
    const isDone = await this.#orphaned.followWrite(this.#deps.writer.decide(write));
    if (isDone) this.watch.notify(runId);
    return isDone;
  }

  wake(mark: DueMark): void {
    this.#runs.lookForDecisions();
    this.#dueRuns.wake();
    // Another server may be working on the run, or have more capacity.
    this.#deps.queue.offer([mark]);
  }

  countActive(): number {
    return this.#runs.count();
  }

  start(): void {
    const { writer, queue, activeMax = activeMaxDefault } = this.#deps;
    this.#stopFollowing = writer.followDue((due) => this.#handleDue(due));
    this.#sweeps.start();
    if (activeMax > 0) queue.consume(this.#dueRuns.wake);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#sweeps.stop();
    await this.#dueRuns.stop();
    await this.#handOver();
    this.#givesUp.abort();
    try {
      await this.#releaseRuns();
    } finally {
      this.#stopFollowing();
      await this.#deps.queue.close();
    }
  }

  async #handOver(): Promise<void> {
    const { timers, drainMs = 10_000 } = this.#deps;
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
    const clear = timers.after(drainMs, resolve);
    await Promise.race([this.#runs.handOver(), timeIsUp]);
    clear();
  }

  /** Leaves the rest to other processes. */
  async #releaseRuns(): Promise<void> {
    const { db, now, instanceId, queue } = this.#deps;
    const at = now();
    const left = await releaseWorkflowRuns(db, { dead: [instanceId], at });
    queue.offer(left.map((runId) => ({ runId, dueAt: at })));
  }

  /** Runs that any process may take up: this one, or others if it has no capacity. */
  #handleDue(due: readonly DueMark[]): void {
    const at = this.#deps.now();
    const startable = due.filter(({ dueAt }) => dueAt <= at);
    const isTooMuch =
      startable.length > this.#countCapacity() || this.#capacity.listFull().length > 0;
    if (isTooMuch) this.#deps.queue.offer(startable);
    for (const { dueAt } of due) this.#dueRuns.expect(dueAt);
  }

  /** Takes up what is due, and ends what was cancelled by other processes. */
  async #sweep(): Promise<void> {
    const { db, instanceId } = this.#deps;
    const requests = this.#runs.count() === 0 ? [] : await listCancelRequests(db, instanceId);
    for (const { id, reason } of requests) this.#runs.cancel(id, reason);
    this.#runs.lookForDecisions();
    await this.#orphaned.free();
    await this.#dueRuns.look();
    this.#notifyEnded();
  }

  /** Runs of other processes that are watched here. */
  #notifyEnded(): void {
    const others = this.watch.list().filter((id) => !this.#runs.isWalked(id));
    for (const id of others.slice(0, 1000)) this.watch.notify(id);
  }

  #loadQueue(bodyId: string): Promise<QueuePolicy> {
    // Two arms, so that an error of `toQueuePolicy` is thrown.
    return this.plans.load(bodyId).then(toQueuePolicy, (err) => {
      // The policy is known when the database is back.
      if (isUnavailable(err)) throw err;
      return unknownQueue;
    });
  }

  #countCapacity(): number {
    return this.#isStopping ? 0 : this.#capacity.count();
  }

  #findProcess(ownerId: string): string | null {
    return !this.#isStopping && this.#capacity.hasFor(ownerId) ? this.#deps.instanceId : null;
  }

  readonly #logFailure = (err: unknown) =>
    this.#deps.logFailure(err, { runId: null, nodeId: null });
}
