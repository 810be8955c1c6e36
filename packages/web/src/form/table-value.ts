/** A row of a `kvlist`: a text for each column. */
export type TableRow = Record<string, string>;

/** The rows of a stored `kvlist` or `picker`. A text that is no list has none. */
export function parseTable(text: string, columns: readonly string[]): TableRow[] {
  const value = parse(text);
  if (Array.isArray(value)) {
    return value.map((row) => toRow(row, columns));
  }
  // A table of two columns may be stored as a plain object.
  const [name, content] = columns;
  if (typeof value === "object" && value !== null && name !== undefined && content !== undefined) {
    return Object.entries(value).map(([key, one]) => ({ [name]: key, [content]: toText(one) }));
  }
  return [];
}

/** The JSON text of the rows; rows without any text are left out, and no rows are an empty text. */
export function writeTable(rows: readonly TableRow[], columns: readonly string[]): string {
  const filled = rows
    .filter((row) => !isEmptyRow(row, columns))
    .map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? ""])));
  return filled.length === 0 ? "" : JSON.stringify(filled);
}

export function isEmptyRow(row: TableRow, columns: readonly string[]): boolean {
  return columns.every((column) => (row[column] ?? "") === "");
}

function toRow(row: unknown, columns: readonly string[]): TableRow {
  const values = typeof row === "object" && row !== null ? (row as Record<string, unknown>) : {};
  return Object.fromEntries(columns.map((column) => [column, toText(values[column])]));
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
