/** Runs the statements of one transaction. Parameters stand as `?`. */
export type Statements = {
  all<R>(text: string, parameters: readonly StatementValue[]): R[] | Promise<R[]>;
  /** Returns how many rows were written. */
  run(text: string, parameters: readonly StatementValue[]): number | Promise<number>;
};

export type StatementValue = string | number | null | Uint8Array;
