import { createGroupCommit, type WriteOutcome } from "./group-commit.ts";
import type {
  Acceptance,
  AcceptWrite,
  Cancellation,
  CancelWrite,
  ClaimedRun,
  ClaimWrite,
  Commitment,
  CommitWrite,
} from "./workflow-run-records.ts";
import type {
  WorkflowWrite,
  WorkflowWriteResult,
} from "./workflow-writes/apply-workflow-writes.ts";

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
  drain(): Promise<void>;
};

export type CommitWorkflowWrites = (
  writes: readonly WorkflowWrite[],
  askedAt: number,
) => Promise<WriteOutcome<WorkflowWriteResult>[]>;

export function createWorkflowWriter(commit: CommitWorkflowWrites): WorkflowWriter {
  const group = createGroupCommit<WorkflowWrite, WorkflowWriteResult>({
    commit,
    isOwed: ({ kind }) => kind === "commit",
  });
  // `applyWorkflowWrite` returns the result of the kind of its write.
  return {
    accept: async (write) => (await group.add({ kind: "accept", write })) as Acceptance,
    commit: async (write) => (await group.add({ kind: "commit", write })) as Commitment,
    claim: async (write) => (await group.add({ kind: "claim", write })) as ClaimedRun | null,
    cancel: async (write) => (await group.add({ kind: "cancel", write })) as Cancellation,
    drain: group.drain,
  };
}
