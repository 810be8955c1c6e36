import { createRunCounts, type RunCounts } from "./count-active-runs.ts";
import type { Statements } from "./statements.ts";

/** One transaction that writes runs of workflows. */
export type RunTransaction = Statements & { counts: RunCounts };

/** A run that any process may take up, from a time on (epoch ms). */
export type DueMark = { runId: string; dueAt: number };

/** The transaction of a write that also records the runs that it leaves to any process. */
export type MarkingTransaction = RunTransaction & { markDue(mark: DueMark): void };

export function toRunTransaction(statements: Statements): RunTransaction {
  return { ...statements, counts: createRunCounts(statements) };
}
