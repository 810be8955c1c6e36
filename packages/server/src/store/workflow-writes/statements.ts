/** Runs the statements of one transaction. Parameters stand as `?`. */
export type Statements = {
  all<R>(text: string, parameters: readonly StatementValue[]): R[] | Promise<R[]>;
  /** Returns how many rows were written. */
  run(text: string, parameters: readonly StatementValue[]): number | Promise<number>;
};

/** A run that any process may take up, from a time on (epoch ms). */
export type DueMark = { runId: string; dueAt: number };

/** Statements of a write that also notes the runs that it leaves to any process. */
export type MarkingStatements = Statements & { markDue(mark: DueMark): void };

export type StatementValue = string | number | null | Uint8Array;
