import type { PreparedStatement } from "../plan/plan-dialect.ts";

/** Below the limits of SQLite (32,766) and of PostgreSQL (65,535). */
const parametersMax = 10_000;

const plainInsert =
  /^(insert into "(\w+)" \([^()]*\) values )(\([?$\d, ]*\)(?:, \([?$\d, ]*\))*)( on conflict (?:\([^()]*\) )?do (?:nothing|update set [^?$]*?))?(?: returning .*)?$/;

/**
 * The same writes in fewer statements: inserts between two other statements become one per table and
 * columns, in the order in which the tables appear first, so that parents stay before their children.
 * The revision, which each change bumps, is bumped once, at the end. The record of changes, which nothing
 * reads or refers to, is written before it. What an insert returns is left out.
 */
export function mergeInserts(statements: readonly PreparedStatement[]): PreparedStatement[] {
  const merged: PreparedStatement[] = [];
  let inserts = new Map<string, Inserts>();
  const changes = new Map<string, Inserts>();
  let revision: PreparedStatement | undefined;
  const flush = () => {
    for (const group of inserts.values()) merged.push(...toStatements(group));
    inserts = new Map();
  };
  for (const statement of statements) {
    if (statement.sql.startsWith('update "revision" ')) {
      revision = statement;
      continue;
    }
    const [, head, , tuples, tail = ""] = plainInsert.exec(statement.sql) ?? [];
    if (head === undefined || tuples === undefined) {
      flush();
      merged.push(statement);
      continue;
    }
    const key = head + tail;
    const isNumbered = tuples.includes("$");
    const isChange = head.startsWith('insert into "changes" ') && tail === "";
    const groups = isChange ? changes : inserts;
    let group = groups.get(key);
    if (group === undefined) {
      group = { head, tail, isNumbered, rows: [], conflictKeys: new Set() };
      groups.set(key, group);
    }
    const width = statement.parameters.length / tuples.split("), (").length;
    for (let at = 0; at < statement.parameters.length; at += width) {
      const row = statement.parameters.slice(at, at + width);
      const conflictKey = toConflictKey(head, tail, row);
      if (conflictKey !== null && group.conflictKeys.has(conflictKey)) {
        flush();
        group = { head, tail, isNumbered, rows: [], conflictKeys: new Set() };
        inserts.set(key, group);
      }
      if (conflictKey !== null) group.conflictKeys.add(conflictKey);
      group.rows.push(row);
    }
  }
  flush();
  for (const group of changes.values()) merged.push(...toStatements(group));
  return revision === undefined ? merged : [...merged, revision];
}

type Inserts = {
  head: string;
  tail: string;
  /** Whether placeholders are `$1`, `$2` …, not `?`. */
  isNumbered: boolean;
  rows: (readonly unknown[])[];
  /** One statement may update a row only once. */
  conflictKeys: Set<string>;
};

/** The values by which an insert that may update finds its row; null for other inserts. */
function toConflictKey(head: string, tail: string, row: readonly unknown[]): string | null {
  const target = /^ on conflict \(([^()]*)\) do update/.exec(tail)?.[1];
  if (target === undefined) return null;
  const listed = /\(([^()]*)\)/.exec(head)?.[1] ?? "";
  const places = new Map(listed.split(", ").map((column, at) => [column, at]));
  return JSON.stringify(target.split(", ").map((column) => row[places.get(column) ?? -1]));
}

function* toStatements({ head, tail, isNumbered, rows }: Inserts): Generator<PreparedStatement> {
  const width = rows[0]?.length ?? 1;
  const rowsMax = Math.max(1, Math.floor(parametersMax / width));
  for (let first = 0; first < rows.length; first += rowsMax) {
    const part = rows.slice(first, first + rowsMax);
    const tuples = part.map((row, index) => {
      const marks = row.map((_, column) => (isNumbered ? `$${index * width + column + 1}` : "?"));
      return `(${marks.join(", ")})`;
    });
    yield { sql: `${head}${tuples.join(", ")}${tail}`, parameters: part.flat() };
  }
}
