/** Records which checker, a column of the table, has covered an operation. */
export type Coverage = {
  add(operation: string, column: string, edition: string): void;
  /** The operations that no column has covered, in any edition or in the given one. */
  findUncovered(columns: readonly string[], edition?: string): string[];
  toTable(columns: readonly string[]): string;
};

export function createCoverage(operations: readonly string[]): Coverage {
  const covered = new Map(operations.map((key) => [key, new Map<string, Set<string>>()]));
  const findCell = (operation: string, column: string) =>
    [...(covered.get(operation)?.get(column) ?? [])].join(", ");

  return {
    add(operation, column, edition) {
      const columns = covered.get(operation);
      if (columns === undefined) throw new Error(`There is no operation ${operation}.`);
      const editions = columns.get(column) ?? new Set();
      columns.set(column, editions.add(edition));
    },
    findUncovered: (columns, edition) =>
      operations.filter((key) =>
        columns.every((column) => {
          const editions = covered.get(key)?.get(column) ?? new Set();
          return edition === undefined ? editions.size === 0 : !editions.has(edition);
        }),
      ),
    toTable(columns) {
      const rows = [
        ["operation", ...columns],
        ...operations.map((key) => [key, ...columns.map((column) => findCell(key, column))]),
      ];
      const widths = ["operation", ...columns].map((_, at) =>
        Math.max(...rows.map((row) => row[at]?.length ?? 0)),
      );
      return rows
        .map((row) =>
          row
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join("  ")
            .trimEnd(),
        )
        .join("\n");
    },
  };
}
