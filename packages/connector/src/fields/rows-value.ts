import { findNumberText, isJsonObject, parseJson } from "../json.ts";
import { suggest } from "../suggest.ts";
import type { FieldSpec, Issue } from "./field-spec.ts";
import { showName } from "./show-name.ts";

type Row = Record<string, string>;
type ParsedRows = { value: Row[] } | { issue: Issue };
type Table = { key: string; columns: readonly string[]; isPicker: boolean };

/**
 * Parses the rows of a `kvlist` or `picker`: an array of objects, or JSON text of one. Cells are
 * text, numbers or booleans, and a missing cell is `""`. A `kvlist` of two columns also accepts a plain
 * object, whose members become rows.
 */
export function parseRows(field: FieldSpec, columns: readonly string[], raw: unknown): ParsedRows {
  const table = { key: field.key, columns, isPicker: field.widget === "picker" };
  const given = typeof raw === "string" ? parseText(raw) : raw;
  const list = isJsonObject(given) ? toPairs(table, given) : given;
  if (!Array.isArray(list)) return toIssue(table.key, `must be ${describeTable(table)}`);
  const rows: Row[] = [];
  for (const [index, item] of list.entries()) {
    const row = parseRow(table, `${table.key}[${index}]`, item);
    if ("issue" in row) return row;
    rows.push(row.value);
  }
  return { value: rows };
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function toPairs(table: Table, given: Record<string, unknown>): unknown {
  const [first, second, ...more] = table.columns;
  if (first === undefined || second === undefined || more.length > 0 || table.isPicker)
    return given;
  const names = Object.keys(given);
  // It could also be a single row, so it is ambiguous.
  if (names.length === 2 && table.columns.every((column) => names.includes(column))) return given;
  return names.map((name) => ({ [first]: name, [second]: given[name] }));
}

function parseRow(table: Table, path: string, item: unknown): { value: Row } | { issue: Issue } {
  if (!isJsonObject(item)) return toIssue(path, `must be ${describeRow(table)}`);
  const unknown = Object.keys(item).find((name) => !table.columns.includes(name));
  if (unknown !== undefined) {
    const columns = table.columns.join(", ");
    return toIssue(
      `${path}.${showName(unknown)}`,
      `is not a column. Columns: ${columns}.${suggest(unknown, table.columns)}`,
    );
  }
  const cells: [string, string][] = [];
  for (const column of table.columns) {
    const cell = toCell(Object.hasOwn(item, column) ? item[column] : undefined);
    if (cell === null) return toIssue(`${path}.${column}`, "must be text");
    if (table.isPicker && column === "id" && cell === "") {
      return toIssue(`${path}.id`, "is required");
    }
    cells.push([column, cell]);
  }
  return { value: Object.fromEntries(cells) };
}

function toCell(value: unknown): string | null {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? value : findNumberText(value);
}

function describeTable(table: Table): string {
  return `an array of rows, such as [${exampleRow(table)}]`;
}

function describeRow(table: Table): string {
  return `an object such as ${exampleRow(table)}`;
}

function exampleRow(table: Table): string {
  return JSON.stringify(Object.fromEntries(table.columns.map((column) => [column, "…"])));
}

function toIssue(path: string, message: string): { issue: Issue } {
  return { issue: { path, message } };
}
