import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { createFairQueue } from "../../lib/fair-queue.ts";
import type { Timers } from "../../lib/timers.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import type { Db } from "../../store/database.ts";
import type {
  AcceptWrite,
  ClaimedRun,
  CommitWrite,
  Lease,
} from "../../store/workflow-run-records.ts";
import type { WorkflowWriter } from "../../store/workflow-writer.ts";
import { toEventBytes } from "../../store/workflow-writes/insert-run.ts";
import { createTemplateCache } from "../templates/template-cache.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";
import { createComputeTurns } from "./compute-turns.ts";
import { failBrokenRun } from "./fail-broken-run.ts";
import { LeaseLostError } from "./lease-lost-error.ts";
import { type LoadedFrom, type LoadedWith, loadRun } from "./load-run.ts";
import type { NodeTypes } from "./open-step.ts";
import { createOtherRuns } from "./other-runs.ts";
import type { Plans } from "./plan.ts";
import { createRunCommits, type RunCommits } from "./run-commits.ts";
import { findOwnerRefusal } from "./run-links.ts";
import type { UsedRow } from "./run-mask.ts";
import type { RunRoom, TakenRoom } from "./run-room.ts";
import type { RunStarts } from "./run-starts.ts";
import type { RunStorage } from "./run-storage.ts";
import type { RunWatch } from "./run-watch.ts";
import type { SealLarge } from "./seal-large.ts";
import { createStepCommits } from "./step-commits.ts";
import type { StrayRuns } from "./stray-runs.ts";
import type { WaitForDatabase } from "./wait-for-database.ts";
import { createWalkReads } from "./walk-reads.ts";
import { type Walk, walkRun } from "./walk-run.ts";
import type { WalkDeps } from "./walk-state.ts";

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
  logFailure(err: unknown, place: { runId: string | null; nodeId: string | null }): void;
  /** How many calls of one owner's workflows this process makes at the same time. */
  callsAtOnce?: number;
};

type Around = {
  plans: Plans;
  watch: RunWatch;
  room: RunRoom;
  starts: RunStarts;
  strays: Pick<StrayRuns, "followWrite">;
  waitForDatabase: WaitForDatabase;
  /** The process that begins a run of this owner at once, or null if it has no room. */
  findProcess(ownerId: string): string | null;
  /** Cancels a run, whichever process has it. */
  cancelRun(runId: string, reason: string): Promise<void>;
  /** A run has left this process. */
  onRoom(): void;
  /** Aborts when the process gives up its runs. */
  givesUp: AbortSignal;
};

export function createActiveRuns(deps: ActiveRunsDeps, around: Around): ActiveRuns {
  const { db, timers, now } = deps;
  const { plans, watch, room, starts, strays, waitForDatabase } = around;
  const templates = createTemplateCache({ charsMax: 4 * 1024 * 1024 });
  const calls = createFairQueue({ atOnce: { owner: deps.callsAtOnce ?? 32 } });
  const computeTurns = createComputeTurns();
  const walks = new Map<string, Walk>();
  /** Runs that are not walked yet. */
  const loading = new Set<string>();
  /** Runs whose end cannot be stored. They stay with this process, so that they do not start again. */
  const broken = new Set<string>();
  let isHandingOver = false;

  function startAccepted(run: AcceptWrite["run"], lease: Lease): void {
    const { raw, ...rest } = run;
    const claimed = {
      ...{ ...rest, lease, activeMs: 0, hasAnswer: false, cancelRequestedAt: null },
      eventBytes: toEventBytes(run),
    };
    startRun({ run: claimed, raw, isNew: true });
  }

  function startClaimed(run: ClaimedRun): void {
    startRun({ run, isNew: false });
  }

  function startRun(from: LoadedFrom): void {
    const { run } = from;
    loading.add(run.id);
    const taken = room.take(run);
    const commits = createWatchedCommits(run);
    const logFailure = (err: unknown) => deps.logFailure(err, { runId: run.id, nodeId: null });
    const opened = open(from, commits, taken).finally(() => loading.delete(run.id));
    const finished = opened.then(async (walk) => {
      walks.set(run.id, walk);
      if (run.cancelRequestedAt !== null) walk.cancel("The run was cancelled.");
      if (isHandingOver) walk.handOver();
      const { next } = await walk.done.finally(() => {
        if (walks.get(run.id) === walk) walks.delete(run.id);
      });
      watch.notify(run.id);
      if (next !== null) startClaimed(next);
    });
    finished
      .finally(() => {
        taken.leave();
        around.onRoom();
      })
      .catch((thrown: unknown) => failBrokenRun({ starts, commits, logFailure }, run, thrown))
      .catch((err: unknown) => {
        if (err instanceof LeaseLostError) return;
        broken.add(run.id);
        logFailure(err);
      });
  }

  async function open(from: LoadedFrom, commits: RunCommits, taken: TakenRoom): Promise<Walk> {
    const { start, workflow, plan } = await waitForDatabase(() => load(from, taken));
    const { addOutput } = taken;
    return walkRun(createWalkDeps(from.run, commits, { workflow, plan, addOutput }), start);
  }

  async function load(from: LoadedFrom, { addOutput }: Pick<TakenRoom, "addOutput">) {
    const { run } = from;
    const [workflow, plan] = await Promise.all([
      deps.directory.find(run.workflowId),
      plans.load(run.bodyId),
    ]);
    if (workflow === null) throw new HubError("not_found", "The workflow was deleted.");
    // A new run was accepted for an active owner. Since an older one was, the owner may have changed.
    const refusal = from.isNew ? null : await findOwnerRefusal(deps, run);
    const start = await loadRun(deps, from, { workflow, plan, addOutput });
    return { start: { ...start, refusal }, workflow, plan };
  }

  /** Commits of a run that wake those who wait for it, and begin the runs that it starts. */
  function createWatchedCommits(run: ClaimedRun): RunCommits {
    const commit = (write: CommitWrite) => strays.followWrite(deps.writer.commit(write));
    const commits = createRunCommits(
      { writer: { commit }, storage: deps.storage, timers, now, givesUp: around.givesUp },
      run,
    );
    return {
      async commit(given) {
        const committed = await commits.commit(given);
        watch.notify(run.id);
        (given.starts ?? []).forEach(({ run: started }, index) => {
          const acceptance = committed.acceptances[index];
          if (acceptance?.kind === "started") startAccepted(started, acceptance.lease);
        });
        if (run.waiterRunId !== null && given.turn?.kind === "end") watch.notify(run.waiterRunId);
        return committed;
      },
    };
  }

  function createWalkDeps(
    run: ClaimedRun,
    commits: RunCommits,
    { workflow, plan, addOutput }: LoadedWith,
  ): WalkDeps {
    return {
      nodeTypes: deps.nodeTypes,
      commits: createStepCommits(commits, { timers, now }),
      timers,
      now,
      parse: templates.parse,
      waitForDatabase,
      enterCall: calls.enter,
      computeTurns,
      addOutput,
      reads: createWalkReads({ ...deps, waitForDatabase }, run),
      runs: createOtherRuns({ db, ...around }, run, { workflow, plan }),
      logFailure: (err, nodeId) => deps.logFailure(err, { runId: run.id, nodeId }),
    };
  }

  return {
    startAccepted,
    startClaimed,
    cancel: (runId, reason) => walks.get(runId)?.cancel(reason),
    lookForDecisions() {
      for (const walk of walks.values()) walk.look();
    },
    async handOver() {
      isHandingOver = true;
      for (const walk of walks.values()) walk.handOver();
      await Promise.allSettled([...walks.values()].map(({ done }) => done));
    },
    isKnown: (id) => walks.has(id) || loading.has(id) || broken.has(id),
    isWalked: (id) => walks.has(id),
    count: () => walks.size + loading.size,
  };
}
