import type { Timers } from "../../../lib/time/timers.ts";
import type { Db } from "../../../store/database/database.ts";
import type { ClaimedRun, QueuePolicy } from "../../../store/workflow-runs/workflow-run-records.ts";
import { type DueRun, listDueRuns } from "../../../store/workflow-runs/workflow-runs-table.ts";
import type { WorkflowWriter } from "../../../store/workflow-runs/workflow-writer.ts";

/** Claims due runs that any process may work on, as far as this process has capacity. */
export type DueRuns = {
  /** Claims what is due. A look that is asked for during another one follows it. */
  look(): Promise<void>;
  /** Looks soon: at once, or a moment after the last time. */
  wake(): void;
  /** Wakes at the time of a run, if that is before the next look. */
  expect(dueAt: number): void;
  /** A run has exited this process: claims runs that found no capacity before. */
  onCapacity(): void;
  /** Ends with the look in progress. */
  stop(): Promise<void>;
};

type DueRunsDeps = {
  db: Db;
  writer: Pick<WorkflowWriter, "claim">;
  instanceId: string;
  now(): number;
  timers: Pick<Timers, "after">;
  /** How many more runs this process can work on. */
  countCapacity(): number;
  /** The owners whose runs it does not take now, because they have used their share of the capacity. */
  listFull(): readonly string[];
  loadQueue(bodyId: string): Promise<QueuePolicy>;
  onClaimed(run: ClaimedRun): void;
  onFailure(err: unknown): void;
  /** The free capacity from which it looks again for runs that found none. */
  capacityMin: number;
  /** How far ahead a look sets the timer for the next run. The looks are not further apart. */
  aheadMs: number;
};

const claimsAtOnce = 64;
/** Several servers that look all the time would wait for each other's claims. */
const wakeGapMs = 50;

export function createDueRuns(deps: DueRunsDeps): DueRuns {
  const { db, writer, instanceId, now, timers, countCapacity, capacityMin, aheadMs } = deps;
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;
  let isCapacityMissing = false;
  let isStopped = false;
  let wokenAt = Number.NEGATIVE_INFINITY;
  let timerAt = Number.POSITIVE_INFINITY;
  let clearTimer = () => {};

  function look(): Promise<void> {
    if (looking !== null) {
      isAskedAgain = true;
      return looking;
    }
    looking = lookUntilDone().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function lookUntilDone(): Promise<void> {
    do {
      isAskedAgain = false;
      await claimDue();
    } while (isAskedAgain && !isStopped);
  }

  async function claimDue(): Promise<void> {
    clearTimer();
    timerAt = Number.POSITIVE_INFINITY;
    for (;;) {
      const free = Math.min(countCapacity(), claimsAtOnce);
      const full = deps.listFull();
      isCapacityMissing = free <= 0 || full.length > 0;
      if (free <= 0 || isStopped) return;
      const at = now();
      const listed = await listDueRuns(db, at + aheadMs, free, full);
      const due = listed.filter(({ dueAt }) => dueAt <= at);
      // At once, so that the claims share a commit.
      const claimed = await Promise.all(due.map(claim));
      const next = listed.at(due.length);
      if (next !== undefined) return setTimer(next.dueAt);
      if (!claimed.includes(true)) return;
    }
  }

  async function claim({ id, workflowId, bodyId }: DueRun): Promise<boolean> {
    const queue = await deps.loadQueue(bodyId);
    const run = await writer.claim({ runId: id, workflowId, instanceId, at: now(), queue });
    if (run !== null) deps.onClaimed(run);
    return run !== null;
  }

  function setTimer(dueAt: number): void {
    // The clock may have been set back since.
    const at = Math.max(dueAt, Math.min(wokenAt, now()) + wakeGapMs);
    if (isStopped || at >= timerAt) return;
    clearTimer();
    timerAt = at;
    clearTimer = timers.after(Math.max(at - now(), 0), () => {
      wokenAt = now();
      look().catch(deps.onFailure);
    });
  }

  return {
    look,
    wake: () => setTimer(now()),
    expect(dueAt) {
      // Later ones are found by a look before.
      if (dueAt < now() + aheadMs) setTimer(dueAt);
    },
    onCapacity() {
      if (isCapacityMissing && looking === null && countCapacity() >= capacityMin) setTimer(now());
    },
    async stop() {
      isStopped = true;
      clearTimer();
      await looking?.catch(() => {});
    },
  };
}
