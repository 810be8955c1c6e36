import { HubError, toHubError } from "../../errors.ts";
import type { WriterLock } from "../sqlite/writer-lock.ts";
import { batchMax, gatherWrites } from "./gather-writes.ts";

/** What became of one write of a committed batch. */
export type WriteOutcome<R> = { ok: true; value: R } | { ok: false; fault: unknown };

/**
 * Gathers writes, so that concurrent ones share a commit. `add` resolves when its write is on disk, or
 * rejects with a HubError.
 */
export type GroupCommit<W, R> = {
  add(write: W): Promise<R>;
  /** Resolves when every earlier write is on disk or was refused. */
  drain(): Promise<void>;
  countWaiting(): number;
};

type GroupCommitDeps<W, R> = {
  /** Held during a commit. Writes that arrive while it is awaited join the commit. */
  lock?: Pick<WriterLock, "acquire" | "release"> | undefined;
  /** Commits all together. Returns the outcome of each write; throws if nothing was committed. */
  commit(writes: readonly W[], askedAt: number): Promise<WriteOutcome<R>[]>;
  /** Whether a full queue still takes this write, because it ends what was accepted before. */
  isOwed(write: W): boolean;
  waitingMax?: number;
};

type Waiting<W, R> = { write: W; resolve(value: R): void; reject(reason: HubError): void };

export function createGroupCommit<W, R>(deps: GroupCommitDeps<W, R>): GroupCommit<W, R> {
  const { lock, commit, isOwed, waitingMax = 4096 } = deps;
  const waiting: Waiting<W, R>[] = [];
  let work: Promise<void> | null = null;

  async function commitWaiting(): Promise<void> {
    do {
      await gatherWrites(() => waiting.length);
      await commitBatch();
    } while (waiting.length > 0);
    work = null;
  }

  async function commitBatch(): Promise<void> {
    const askedAt = performance.now();
    let batch: Waiting<W, R>[] = [];
    try {
      await lock?.acquire();
      try {
        batch = waiting.splice(0, batchMax);
        const outcomes = await commit(
          batch.map(({ write }) => write),
          askedAt,
        );
        batch.forEach(({ resolve, reject }, index) => {
          const outcome = outcomes[index];
          if (outcome?.ok) resolve(outcome.value);
          else reject(toHubError(outcome?.fault));
        });
      } finally {
        lock?.release();
      }
    } catch (err) {
      const reason = toHubError(err);
      // The writes that wait would fail in the same way, after the same wait.
      for (const { reject } of [...batch, ...waiting.splice(0)]) reject(reason);
    }
  }

  return {
    add(write) {
      if (waiting.length >= waitingMax && !isOwed(write)) {
        return Promise.reject(
          new HubError(
            "rate_limited",
            "More runs arrive than the hub can record. This one was not accepted. Try again in a moment.",
          ),
        );
      }
      return new Promise((resolve, reject) => {
        waiting.push({ write, resolve, reject });
        work ??= commitWaiting();
      });
    },
    async drain() {
      while (work !== null) await work;
    },
    countWaiting: () => waiting.length,
  };
}
