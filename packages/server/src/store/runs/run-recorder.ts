import { HubError, toHubError } from "../../errors.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { batchMax, gatherWrites } from "../database/gather-writes.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";
import type { RuleUse } from "../rules/rule-uses.ts";
import type { WriterLock } from "../sqlite/writer-lock.ts";
import type { RunRecord } from "./runs-table.ts";

/** A run before it starts. The id is `Bun.randomUUIDv7()`: newer runs sort later. */
export type NewRun = Pick<
  RunRecord,
  | "id"
  | "parentRunId"
  | "connectorId"
  | "rowLabel"
  | "operationKey"
  | "userId"
  | "tokenId"
  | "source"
  | "request"
  | "requestCut"
  | "ipAddress"
  | "userAgent"
  | "workflowRunId"
  | "startedBy"
  | "causeKind"
  | "causeId"
  | "instanceId"
  | "account"
  | "startedAt"
>;

/** How a run ended. */
export type RunOutcome = {
  status: Exclude<RunStatus, "running">;
  errorCode: string | null;
  errorMsg: string | null;
  response: string | null;
  latencyMs: number;
  httpStatus: number | null;
  /** Whether the outside system of a failed call could not be reached. */
  isUnreached?: boolean | undefined;
  endedAt: number;
  /** The request masked again, if it contained secrets that only became known during the run. */
  resealed?: Pick<RunRecord, "request" | "requestCut">;
};

/**
 * Writes audit rows. Calls in one turn of the event loop share one commit. Each call resolves when
 * its row is on disk, or rejects with a HubError.
 */
export type RunRecorder = {
  /**
   * Writes the row with status `running`. With `use`, it also counts a free call of a rule, both or none: rejects with
   * `approval_required` if the hour has no free call left, or the rule has changed.
   */
  begin(run: NewRun, use?: RuleUse): Promise<void>;
  /**
   * Adds the outcome to a row that was begun. If the commit fails, the next commit includes it; if
   * none follows soon, it is retried alone.
   */
  finish(id: string, outcome: RunOutcome): Promise<void>;
  /** Writes a row with its outcome at once. */
  insertFinished(run: NewRun & RunOutcome): Promise<void>;
  /** Resolves when every earlier call is on disk or was refused. */
  drain(): Promise<void>;
  /** The writes that wait for a commit. */
  countWaiting(): number;
};

export type RunWrite =
  | { kind: "begin"; run: NewRun; use?: RuleUse | undefined }
  | { kind: "finish"; id: string; outcome: RunOutcome }
  | { kind: "insertFinished"; run: NewRun; outcome: RunOutcome };

type RunRecorderDeps = {
  lock: Pick<WriterLock, "acquire" | "release" | "check">;
  /** Commits all together: see `createSqliteRunWriter`. */
  writeRuns(writes: readonly RunWrite[], askedAt: number): Promise<unknown[]>;
  /**
   * Whether a commit that failed in this way may still happen, because the database only gave no
   * answer.
   */
  mayBeLate?(err: unknown): boolean;
  /** Maximum number of waiting writes; more are refused. */
  waitingMax?: number;
  timers?: Pick<Timers, "after">;
};

/** How long the outcomes of a failed commit wait for another commit. */
const overdueMs = 1_000;

type Waiting = { write: RunWrite; resolve(): void; reject(reason: HubError): void };

export function createRunRecorder(deps: RunRecorderDeps): RunRecorder {
  const { lock, writeRuns, waitingMax = 4096, timers = systemTimers } = deps;
  const { mayBeLate = () => false } = deps;
  const waiting: Waiting[] = [];
  /** Outcomes of failed commits: without them their rows would stay `running`. */
  let overdue: RunWrite[] = [];
  /** Refused runs whose first write may still be carried out. Their outcomes must follow it. */
  const unsure = new Set<string>();
  let work: Promise<void> | null = null;
  let cancelRetry = () => {};

  function record(write: RunWrite): Promise<void> {
    try {
      lock.check();
    } catch (err) {
      return Promise.reject(err);
    }
    // A full queue never refuses an outcome: its run was accepted before.
    if (waiting.length >= waitingMax && write.kind !== "finish") {
      return Promise.reject(
        new HubError(
          "rate_limited",
          "More calls arrive than the hub can record. This call was not executed. Try again in a moment.",
        ),
      );
    }
    return new Promise((resolve, reject) => {
      waiting.push({ write, resolve, reject });
      work ??= commitWaiting();
    });
  }

  async function commitWaiting(): Promise<void> {
    do {
      await gatherWrites(() => waiting.length);
      await commitBatch();
    } while (waiting.length > 0);
    work = null;
    retryOverdue();
  }

  /** Without calls there is no next commit, and the rows must not wait for one. */
  function retryOverdue(): void {
    cancelRetry();
    if (overdue.length === 0) return;
    cancelRetry = timers.after(overdueMs, () => {
      work ??= commitWaiting();
    });
  }

  async function commitBatch(): Promise<void> {
    let late: RunWrite[] = [];
    let batch: Waiting[] = [];
    const askedAt = performance.now();
    try {
      await lock.acquire();
      try {
        late = overdue.splice(0);
        batch = waiting.splice(0, batchMax);
        const faults = await writeRuns([...late, ...batch.map(({ write }) => write)], askedAt);
        completeBatch(batch, faults.slice(late.length));
        if (unsure.size > 0) forgetUnsure([...late, ...batch.map(({ write }) => write)]);
      } finally {
        lock.release();
      }
    } catch (err) {
      // The calls that wait would fail in the same way, after the same wait.
      const failed = [...batch, ...waiting.splice(0)];
      if (mayBeLate(err)) recordUnsure(batch);
      const outcomes = failed.map(({ write }) => write).filter(isOwed);
      overdue = [...late, ...overdue, ...outcomes].slice(0, waitingMax);
      const reason = toHubError(err);
      for (const { reject } of failed) reject(reason);
    }
  }

  function recordUnsure(batch: readonly Waiting[]): void {
    for (const { write } of batch) {
      if (write.kind === "begin" && unsure.size < waitingMax) unsure.add(write.run.id);
    }
  }

  function forgetUnsure(written: readonly RunWrite[]): void {
    for (const write of written) if (write.kind === "insertFinished") unsure.delete(write.run.id);
  }

  /** Whether a run may stay `running` without this write. */
  function isOwed(write: RunWrite): boolean {
    return write.kind === "finish" || (write.kind === "insertFinished" && unsure.has(write.run.id));
  }

  return {
    begin: (run, use) => record({ kind: "begin", run, use }),
    finish: (id, outcome) => record({ kind: "finish", id, outcome }),
    insertFinished: (run) => record({ kind: "insertFinished", run, outcome: run }),
    countWaiting: () => waiting.length,
    async drain() {
      while (work !== null) await work;
      cancelRetry();
      if (overdue.length > 0) await commitBatch();
    },
  };
}

function completeBatch(batch: readonly Waiting[], faults: readonly unknown[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    if (faults[index] === undefined) resolve();
    else reject(toHubError(faults[index]));
  });
}
