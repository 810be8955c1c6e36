/** What was opened, to be closed in reverse order. */
export type Closers = {
  /** Registers the close of something just opened. */
  add(close: () => void | Promise<void>): void;
  /** Closes everything, last opened first; one failing close does not spare the others. */
  closeAll(): Promise<void>;
};

export function createClosers(): Closers {
  const stack: Array<() => void | Promise<void>> = [];
  return {
    add: (close) => {
      stack.push(close);
    },
    async closeAll() {
      const failures: unknown[] = [];
      for (let close = stack.pop(); close !== undefined; close = stack.pop()) {
        try {
          await close();
        } catch (failure) {
          failures.push(failure);
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, "Some parts did not close cleanly");
    },
  };
}
