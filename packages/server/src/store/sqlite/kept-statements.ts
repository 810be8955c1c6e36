import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

/** Prepared statements of one connection, by their text. To prepare one takes longer than most of them run. */
export type KeptStatements = Disposable & {
  /** Calls `work` with the statement, and returns its result. `work` must not run other statements. */
  use<Row, Result>(
    text: string,
    parameters: readonly SQLQueryBindings[],
    work: (statement: Statement<Row, SQLQueryBindings[]>) => Result,
  ): Result;
};

const statementsMax = 200;
/** Longer texts are rare: lists with many conditions. */
const textCharsMax = 4 * 1024;
/** A kept statement holds its last values until it runs again. */
const valuesSizeMax = 16 * 1024;

/** Keeps the statements that ran last. Disposing of it finalizes them. */
export function createKeptStatements(database: Pick<Database, "prepare">): KeptStatements {
  const kept = new Map<string, Statement<unknown, SQLQueryBindings[]>>();

  function keep(text: string, statement: Statement<unknown, SQLQueryBindings[]>): void {
    // Behind the others, so that the one that ran longest ago is the first.
    kept.set(text, statement);
    if (kept.size <= statementsMax) return;
    const [oldest] = kept;
    if (oldest === undefined) return;
    kept.delete(oldest[0]);
    oldest[1].finalize();
  }

  return {
    use<Row, Result>(
      text: string,
      parameters: readonly SQLQueryBindings[],
      work: (statement: Statement<Row, SQLQueryBindings[]>) => Result,
    ): Result {
      const statement = kept.get(text) ?? database.prepare<unknown, SQLQueryBindings[]>(text);
      kept.delete(text);
      let isKept = false;
      try {
        // The rows of a statement have the type that its query has.
        const result = work(statement as Statement<Row, SQLQueryBindings[]>);
        isKept = text.length <= textCharsMax && sumSizes(parameters) <= valuesSizeMax;
        return result;
      } finally {
        if (isKept) keep(text, statement);
        else statement.finalize();
      }
    },
    [Symbol.dispose]() {
      for (const statement of kept.values()) statement.finalize();
      kept.clear();
    },
  };
}

/** The size of texts and bytes among the values. */
function sumSizes(values: readonly SQLQueryBindings[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === "string") size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
  }
  return size;
}
