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
} from "../workflow-runs/workflow-run-records.ts";
import { acceptRun } from "./accept-run.ts";
import { claimRun } from "./claim-run.ts";
import { commitSteps } from "./commit-steps.ts";
import { decideSteps } from "./decide-steps.ts";
import type { DueMark, MarkingTransaction, RunTransaction } from "./run-transaction.ts";
import { cancelRun } from "./write-cancellation.ts";

export type WorkflowWrite =
  | { kind: "accept"; write: AcceptWrite }
  | { kind: "commit"; write: CommitWrite }
  | { kind: "claim"; write: ClaimWrite }
  | { kind: "cancel"; write: CancelWrite }
  | { kind: "decide"; write: DecideWrite };

export type WorkflowWriteResult =
  | Acceptance
  | Commitment
  | ClaimedRun
  | Cancellation
  | boolean
  | null;

/** What a write returns, and the runs that it left to any process. */
export type AppliedWrite = { result: WorkflowWriteResult; due: readonly DueMark[] };

/** Carries out one write in the transaction of `db`. */
export async function applyWorkflowWrite(
  db: RunTransaction,
  entry: WorkflowWrite,
): Promise<AppliedWrite> {
  const due: DueMark[] = [];
  const result = await apply({ ...db, markDue: (mark) => due.push(mark) }, entry);
  return { result, due };
}

function apply(db: MarkingTransaction, entry: WorkflowWrite): Promise<WorkflowWriteResult> {
  switch (entry.kind) {
    case "accept":
      return acceptRun(db, entry.write);
    case "commit":
      return commitSteps(db, entry.write);
    case "claim":
      return claimRun(db, entry.write);
    case "cancel":
      return cancelRun(db, entry.write);
    case "decide":
      return decideSteps(db, entry.write);
  }
}

/** The keys by which transactions of several processes run one after another. */
export function listLockKeys(entries: readonly WorkflowWrite[]): string[] {
  const ids = new Set<string>();
  for (const { kind, write } of entries) {
    ids.add(kind === "accept" ? write.run.workflowId : write.workflowId);
    if (kind === "commit") for (const { run } of write.starts) ids.add(run.workflowId);
  }
  return [...ids].map((id) => `workflow:${id}`);
}
