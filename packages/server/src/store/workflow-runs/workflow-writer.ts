import { createGroupCommit, type WriteOutcome } from "../database/group-commit.ts";
import type { WriterLock } from "../sqlite/writer-lock.ts";
import type { AppliedWrite, WorkflowWrite } from "../workflow-writes/apply-workflow-writes.ts";
import type { DueMark } from "../workflow-writes/run-transaction.ts";
import type {
  Acceptance,
  AcceptWrite,
  Cancellation,
  CancelWrite,
  ClaimedRun,
  ClaimWrite,
  Commitment,
  CommitWrite,
  DecideWrite,
} from "./workflow-run-records.ts";

/**
 * Writes runs of workflows and their steps. Concurrent writes share a commit. Each call resolves when it
 * is on disk, or rejects with a HubError.
 */
export type WorkflowWriter = {
  accept(write: AcceptWrite): Promise<Acceptance>;
  commit(write: CommitWrite): Promise<Commitment>;
  /** Null if the run is not due, or if another process has it. */
  claim(write: ClaimWrite): Promise<ClaimedRun | null>;
  cancel(write: CancelWrite): Promise<Cancellation>;
  /** False if the run does not wait any more as it did when the decision was made. */
  decide(write: DecideWrite): Promise<boolean>;
  /**
   * Calls `onDue` after each commit of this process that left runs to any process. Returns a function that
   * ends this.
   */
  followDue(onDue: (runs: readonly DueMark[]) => void): () => void;
  drain(): Promise<void>;
};

export type CommitWorkflowWrites = (
  writes: readonly WorkflowWrite[],
  askedAt: number,
) => Promise<WriteOutcome<AppliedWrite>[]>;

export function createWorkflowWriter(
  commit: CommitWorkflowWrites,
  lock?: Pick<WriterLock, "acquire" | "release">,
): WorkflowWriter {
  const group = createGroupCommit<WorkflowWrite, AppliedWrite>({
    commit,
    lock,
    isOwed: ({ kind }) => kind === "commit",
  });
  const followers = new Set<(runs: readonly DueMark[]) => void>();
  const add = async (entry: WorkflowWrite) => {
    const { result, due } = await group.add(entry);
    if (due.length > 0) for (const onDue of followers) onDue(due);
    return result;
  };
  // `applyWorkflowWrite` returns the result of the kind of its write.
  return {
    accept: async (write) => (await add({ kind: "accept", write })) as Acceptance,
    commit: async (write) => (await add({ kind: "commit", write })) as Commitment,
    claim: async (write) => (await add({ kind: "claim", write })) as ClaimedRun | null,
    cancel: async (write) => (await add({ kind: "cancel", write })) as Cancellation,
    decide: async (write) => (await add({ kind: "decide", write })) as boolean,
    followDue(onDue) {
      followers.add(onDue);
      return () => followers.delete(onDue);
    },
    drain: group.drain,
  };
}
