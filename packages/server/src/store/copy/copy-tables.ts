import { setImmediate as nextTurn } from "node:timers/promises";
import { HubError } from "../../errors.ts";
import type { CopiedRow, CopiedTable } from "./copied-table.ts";
import type { FolderSource } from "./folder-source.ts";
import { createRowDigest, type TableDigest } from "./row-digest.ts";

/** The database that is filled. What it has stored outlives an interrupted copy. */
export type CopyTarget = {
  /** How far an interrupted copy of the same source came; null if this one is the first. */
  progress(): CopyProgress | null;
  /** Empties all tables and begins. */
  begin(tables: readonly CopiedTable[]): Promise<void>;
  /** Stores the rows and the progress together. */
  store(table: CopiedTable, rows: readonly CopiedRow[], progress: CopyProgress): Promise<void>;
  readRows(table: CopiedTable): AsyncIterable<CopiedRow>;
};

/** The tables that are complete, and the last row that is stored of the next one. */
export type CopyProgress = {
  complete: readonly string[];
  last: { table: string; key: CopiedRow } | null;
};

export type CopyResult = {
  tables: Array<{ name: string } & TableDigest>;
  /** Whether an interrupted copy was continued. */
  continued: boolean;
};

/** Called after each portion, and with `verified` for rows that were compared. */
export type OnProgress = (table: string, rows: number, of: number, step: Step) => void;
type Step = "copied" | "verified";

const portionRowsMax = 500;
const portionBytesMax = 1024 ** 2;

/**
 * Copies all rows in portions and then compares both databases. An interrupted copy continues after
 * its last portion; if the source has changed since, it starts again.
 */
export async function copyTables(
  source: FolderSource,
  target: CopyTarget,
  onProgress: OnProgress = () => {},
): Promise<CopyResult> {
  const { tables } = source;
  const progress = target.progress();
  if (progress === null) await target.begin(tables);
  await copyRest(source, target, progress ?? nothing, onProgress);
  const first = await compareTables(source, target, onProgress);
  if (first.different.length === 0) return { tables: first.tables, continued: progress !== null };
  if (progress === null) throw refuseDifference(first.different);
  await target.begin(tables);
  await copyRest(source, target, nothing, onProgress);
  const second = await compareTables(source, target, onProgress);
  if (second.different.length > 0) throw refuseDifference(second.different);
  return { tables: second.tables, continued: false };
}

const nothing: CopyProgress = { complete: [], last: null };

async function copyRest(
  source: FolderSource,
  target: CopyTarget,
  progress: CopyProgress,
  onProgress: OnProgress,
): Promise<void> {
  const complete = [...progress.complete];
  for (const table of source.tables) {
    const { name } = table;
    if (complete.includes(name)) continue;
    const total = source.countRows(table);
    const after = progress.last?.table === name ? progress.last.key : null;
    let copied = 0;
    for (const { rows, isLast } of cutPortions(source.readRows(table, after))) {
      const last = rows.at(-1);
      if (isLast) complete.push(name);
      const isOver = isLast || last === undefined;
      await target.store(table, rows, {
        complete,
        last: isOver ? null : { table: name, key: toKey(table, last) },
      });
      copied += rows.length;
      onProgress(name, copied, total, "copied");
    }
  }
}

function toKey({ key }: CopiedTable, row: CopiedRow): CopiedRow {
  return Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
}

/** The last portion may be empty. */
function* cutPortions(rows: Iterable<CopiedRow>): Iterable<{ rows: CopiedRow[]; isLast: boolean }> {
  let portion: CopiedRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    portion.push(row);
    for (const value of Object.values(row)) bytes += sizeOf(value);
    if (portion.length < portionRowsMax && bytes < portionBytesMax) continue;
    yield { rows: portion, isLast: false };
    portion = [];
    bytes = 0;
  }
  yield { rows: portion, isLast: true };
}

function sizeOf(value: CopiedRow[string]): number {
  return value === null || typeof value === "bigint" ? 8 : value.length;
}

async function compareTables(source: FolderSource, target: CopyTarget, onProgress: OnProgress) {
  const tables: CopyResult["tables"] = [];
  const different: string[] = [];
  for (const table of source.tables) {
    const { name } = table;
    const total = source.countRows(table);
    const expected = await digestRows(table, source.readRows(table, null));
    const report = (rows: number) => onProgress(name, rows, total, "verified");
    const found = await digestRows(table, target.readRows(table), report);
    if (expected.rows !== found.rows || expected.digest !== found.digest) different.push(name);
    tables.push({ name, ...found });
  }
  return { tables, different };
}

async function digestRows(
  table: CopiedTable,
  rows: Iterable<CopiedRow> | AsyncIterable<CopiedRow>,
  report: (rows: number) => void = () => {},
): Promise<TableDigest> {
  const digest = createRowDigest(table);
  let count = 0;
  for await (const row of rows) {
    digest.add(row);
    count += 1;
    if (count % portionRowsMax === 0) {
      report(count);
      // Signals are handled between portions.
      await nextTurn();
    }
  }
  return digest.read();
}

function refuseDifference(tables: readonly string[]): HubError {
  return new HubError(
    "conflict",
    `The copy differs from the data folder in ${tables.join(", ")}. Do not use it. Another program may have changed the database meanwhile. Copy again with --restart.`,
  );
}
