import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import { createFairQueue, type FairQueue } from "../../../lib/queues/fair-queue.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { RingHolder } from "../../../secrets/keys/ring-holder.ts";
import type { RowTokens } from "../../../secrets/value-tokens/sealer.ts";
import type { Db } from "../../../store/database/database.ts";
import type {
  AcceptWrite,
  ClaimedRun,
  CommitWrite,
  Lease,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import type { WorkflowWriter } from "../../../store/workflow-runs/workflow-writer.ts";
import { toEventBytes } from "../../../store/workflow-writes/insert-run.ts";
import { createTemplateCache } from "../../templates/template-cache.ts";
import type { WorkflowDirectory } from "../../workflow-directory.ts";
import type { RunStarts } from "../accept/run-starts.ts";
import { createOtherRuns } from "../child-runs/other-runs.ts";
import { findOwnerRefusal } from "../child-runs/run-links.ts";
import { createRunCommits, type RunCommits } from "../commit/run-commits.ts";
import type { RunWatch } from "../commit/run-watch.ts";
import { createStepCommits } from "../commit/step-commits.ts";
import { watchCommits } from "../commit/watch-commits.ts";
import type { RunCapacity, RunPermit } from "../limits/run-capacity.ts";
import type { RunStorage } from "../limits/run-storage.ts";
import { shareEventLoop } from "../limits/share-event-loop.ts";
import type { Plans } from "../plan.ts";
import type { UsedRow } from "../secrets/run-mask.ts";
import type { SealLarge } from "../secrets/seal-large.ts";
import type { NodeTypes } from "../step/open-step.ts";
import { createWalkReads } from "../walk/walk-reads.ts";
import { type Walk, walkRun } from "../walk/walk-run.ts";
import type { WalkDeps } from "../walk/walk-state.ts";
import { failBrokenRun } from "./fail-broken-run.ts";
import { LeaseLostError } from "./lease-lost-error.ts";
import { type LoadedFrom, type LoadedWith, loadClaimedRun } from "./load-claimed-run.ts";
import type { OrphanedRuns } from "./orphaned-runs.ts";
import type { WaitForDatabase } from "./wait-for-database.ts";

/** The runs that this process has the lease of. */
export type ActiveRuns = {
  /** Begins a new run, which was stored with a lease of this process. */
  startAccepted(run: AcceptWrite["run"], lease: Lease): void;
  /** Goes on with a run that this process has claimed. */
  startClaimed(run: ClaimedRun): void;
  /** Cancels the run if it is one of these. */
  cancel(runId: string, reason: string): void;
  /** Lets runs that wait for a decision while they do something else look for it. */
  lookForDecisions(): void;
  /** Lets no run start a further node, and resolves when what is in flight has ended. */
  handOver(): Promise<void>;
  /** Whether the lease of a run is known here, also if its end could not be stored. */
  isKnown(runId: string): boolean;
  /** Whether this process carries out the run now. */
  isWalked(runId: string): boolean;
  count(): number;
};

export type ActiveRunsDeps = {
  db: Db;
  writer: Pick<WorkflowWriter, "commit">;
  directory: WorkflowDirectory;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
  nodeTypes: NodeTypes;
  storage: RunStorage;
  /** The row of an operation with its secrets. Null if there is none now. */
  findUsedRow(toolId: string): Promise<UsedRow | null>;
  findCaller(userId: string): Promise<Caller | null>;
  now(): number;
  timers: Timers;
  logFailure(err: unknown, subject: { runId: string | null; nodeId: string | null }): void;
  /** How many calls of one owner's workflows this process makes at the same time. */
  callsAtOnce?: number;
};

type Around = {
  plans: Plans;
  watch: RunWatch;
  capacity: RunCapacity;
  starts: RunStarts;
  orphaned: Pick<OrphanedRuns, "followWrite">;
  waitForDatabase: WaitForDatabase;
  /** The process that begins a run of this owner at once, or null if it has no capacity. */
  findProcess(ownerId: string): string | null;
  /** Cancels a run, whichever process has it. */
  cancelRun(runId: string, reason: string): Promise<void>;
  /** A run has left this process. */
  onCapacity(): void;
  /** Aborts when the process gives up its runs. */
  givesUp: AbortSignal;
};

export function createActiveRuns(deps: ActiveRunsDeps, around: Around): ActiveRuns {
  return new ProcessRuns(deps, around);
}

class ProcessRuns implements ActiveRuns {
  readonly #deps: ActiveRunsDeps;
  readonly #around: Around;
  readonly #templates = createTemplateCache({ charsMax: 4 * 1024 * 1024 });
  readonly #calls: FairQueue;
  readonly #computeSlices = shareEventLoop();
  readonly #walks = new Map<string, Walk>();
  /** Runs that are not walked yet. */
  readonly #loading = new Set<string>();
  /** Runs whose end cannot be stored. They stay with this process, so that they do not start again. */
  readonly #broken = new Set<string>();
  #isHandingOver = false;

  constructor(deps: ActiveRunsDeps, around: Around) {
    this.#deps = deps;
    this.#around = around;
    this.#calls = createFairQueue({ atOnce: { owner: deps.callsAtOnce ?? 32 } });
  }

  startAccepted(run: AcceptWrite["run"], lease: Lease): void {
    const { raw, ...rest } = run;
    const claimed = {
      ...rest,
      lease,
      activeMs: 0,
      hasAnswer: false,
      cancelRequestedAt: null,
      eventBytes: toEventBytes(run),
    };
    this.#start({ run: claimed, raw, isNew: true });
  }

  startClaimed(run: ClaimedRun): void {
    this.#start({ run, isNew: false });
  }

  cancel(runId: string, reason: string): void {
    this.#walks.get(runId)?.cancel(reason);
  }

  lookForDecisions(): void {
    for (const walk of this.#walks.values()) walk.look();
  }

  async handOver(): Promise<void> {
    this.#isHandingOver = true;
    for (const walk of this.#walks.values()) walk.handOver();
    await Promise.allSettled([...this.#walks.values()].map(({ done }) => done));
  }

  isKnown(id: string): boolean {
    return this.#walks.has(id) || this.#loading.has(id) || this.#broken.has(id);
  }

  isWalked(id: string): boolean {
    return this.#walks.has(id);
  }

  count(): number {
    return this.#walks.size + this.#loading.size;
  }

  #start(from: LoadedFrom): void {
    const { run } = from;
    this.#loading.add(run.id);
    const permit = this.#around.capacity.take(run);
    const commits = this.#openCommits(run);
    this.#carryOut(from, commits, permit)
      .finally(() => {
        permit.release();
        this.#around.onCapacity();
      })
      .catch((thrown: unknown) => this.#fail(run, commits, thrown));
  }

  /** Loads the run, walks it, and begins the one that follows it. */
  async #carryOut(from: LoadedFrom, commits: RunCommits, permit: RunPermit): Promise<void> {
    const { run } = from;
    const opened = this.#open(from, commits, permit);
    const walk = await opened.finally(() => this.#loading.delete(run.id));
    this.#walks.set(run.id, walk);
    if (run.cancelRequestedAt !== null) walk.cancel("The run was cancelled.");
    if (this.#isHandingOver) walk.handOver();
    const { next } = await walk.done.finally(() => {
      if (this.#walks.get(run.id) === walk) this.#walks.delete(run.id);
    });
    this.#around.watch.notify(run.id);
    if (next !== null) this.startClaimed(next);
  }

  async #fail(run: ClaimedRun, commits: RunCommits, thrown: unknown): Promise<void> {
    const logFailure = (err: unknown) => this.#logFailure(err, run);
    try {
      await failBrokenRun({ starts: this.#around.starts, commits, logFailure }, run, thrown);
    } catch (err) {
      if (err instanceof LeaseLostError) return;
      this.#broken.add(run.id);
      logFailure(err);
    }
  }

  async #open(from: LoadedFrom, commits: RunCommits, permit: RunPermit): Promise<Walk> {
    const loaded = await this.#around.waitForDatabase(() => this.#load(from, permit));
    const { start, workflow, plan } = loaded;
    const { addOutput } = permit;
    return walkRun(this.#toWalkDeps(from.run, commits, { workflow, plan, addOutput }), start);
  }

  async #load(from: LoadedFrom, { addOutput }: Pick<RunPermit, "addOutput">) {
    const { run } = from;
    const [workflow, plan] = await Promise.all([
      this.#deps.directory.find(run.workflowId),
      this.#around.plans.load(run.bodyId),
    ]);
    if (workflow === null) throw new HubError("not_found", "The workflow was deleted.");
    // A new run was accepted for an active owner. Since an older one was, the owner may have changed.
    const refusal = from.isNew ? null : await findOwnerRefusal(this.#deps, run);
    const start = await loadClaimedRun(this.#deps, from, { workflow, plan, addOutput });
    return { start: { ...start, refusal }, workflow, plan };
  }

  #openCommits(run: ClaimedRun): RunCommits {
    const { writer, storage, timers, now } = this.#deps;
    const { orphaned, givesUp, watch } = this.#around;
    const commit = (write: CommitWrite) => orphaned.followWrite(writer.commit(write));
    const commits = createRunCommits({ writer: { commit }, storage, timers, now, givesUp }, run);
    const startAccepted = this.startAccepted.bind(this);
    return watchCommits({ watch, startAccepted }, run, commits);
  }

  #toWalkDeps(
    run: ClaimedRun,
    commits: RunCommits,
    { workflow, plan, addOutput }: LoadedWith,
  ): WalkDeps {
    const { nodeTypes, db, timers, now } = this.#deps;
    const { waitForDatabase } = this.#around;
    return {
      nodeTypes,
      timers,
      now,
      waitForDatabase,
      addOutput,
      commits: createStepCommits(commits, { timers, now }),
      parse: this.#templates.parse,
      enterCall: this.#calls.enter,
      computeSlices: this.#computeSlices,
      reads: createWalkReads({ ...this.#deps, waitForDatabase }, run),
      runs: createOtherRuns({ db, ...this.#around }, run, { workflow, plan }),
      logFailure: (err, nodeId) => this.#logFailure(err, run, nodeId),
    };
  }

  #logFailure(err: unknown, run: ClaimedRun, nodeId: string | null = null): void {
    this.#deps.logFailure(err, { runId: run.id, nodeId });
  }
}
