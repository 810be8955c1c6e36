import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "./database.ts";
import { toKysely } from "./kysely.ts";
import { type RunFilter, type RunRecord, toRunRecord } from "./runs.ts";
import type { Tables } from "./tables.ts";

export type RunPageFilter = RunFilter & {
  /** Only runs that began at this time or later; epoch ms. */
  startedFrom?: number;
  /** Only runs that began before this time; epoch ms. */
  startedBefore?: number;
  /** Only runs of the present rows of this connector. */
  connectorKey?: string;
  /** Only runs whose error message or code contains this text. ASCII letters match in both cases. */
  errorText?: string;
  /** Only runs of rows that have one of these tags, and those that reached no row. */
  rowsTaggedAmong?: readonly string[];
};

export type RunPage = {
  /** Newest first. May be fewer than the limit, even if there are more pages. */
  runs: RunRecord[];
  /** The `before` of the next page; null on the last page. */
  next: string | null;
};

/** Runs that one page scans at most. Rare matches are found over several pages. */
export const scannedMax = 20_000;
/** Runs in one scan, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 5_000;
/** The same if the scan searches messages of 4 KiB, built to be searched slowly. */
const searchedAtOnce = 500;

type Runs = ExpressionBuilder<Tables, "connector_runs">;

/**
 * One page of runs, fast for any number of runs: it reads along the index of one condition, checks
 * the others for at most `scannedMax` runs, and returns where it stopped.
 */
export async function listRunPage(db: Db, given: RunPageFilter): Promise<RunPage> {
  const runs: RunRecord[] = [];
  const filter = await narrowToRow(db, given);
  if (filter === null) return { runs, next: null };
  const atOnce = filter.errorText === undefined ? scannedAtOnce : searchedAtOnce;
  let before = filter.before;
  for (let scanned = atOnce; ; scanned += atOnce) {
    const limit = filter.limit - runs.length;
    const rest = { ...filter, limit, ...(before !== undefined && { before }) };
    const part = await scanRuns(db, rest, atOnce);
    runs.push(...part.runs);
    const isOver = runs.length === filter.limit || part.next === null || scanned >= scannedMax;
    if (isOver) return { runs, next: part.next };
    before = part.next ?? undefined;
    // Lets other requests run between two scans.
    await Bun.sleep(0);
  }
}

/**
 * A connector with a single row is a condition on the row, which an index serves. Null if the connector
 * has no row, or another one than the filter names.
 */
async function narrowToRow(db: Db, filter: RunPageFilter): Promise<RunPageFilter | null> {
  const { connectorKey, connectorId, ...rest } = filter;
  if (connectorKey === undefined) return filter;
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select("id")
    .where("connector_key", "=", connectorKey)
    .limit(2)
    .execute();
  const [row, another] = rows;
  if (row === undefined) return null;
  if (another !== undefined) return filter;
  if (connectorId !== undefined && connectorId !== row.id) return null;
  return { ...rest, connectorId: row.id };
}

async function scanRuns(db: Db, filter: RunPageFilter, atOnce: number): Promise<RunPage> {
  const { along, others } = splitConditions(filter);
  const scanned = toKysely(db)
    .selectFrom("connector_runs")
    .selectAll()
    .where((runs) => runs.and(along.map((condition) => condition(runs))))
    .orderBy("id", "desc")
    .limit(atOnce);
  const found = await toKysely(db)
    .selectFrom(scanned.as("connector_runs"))
    .selectAll()
    .where((runs) => runs.and(others.map((condition) => condition(runs))))
    .orderBy("id", "desc")
    .limit(filter.limit)
    .execute();
  const runs = found.map(toRunRecord);
  const last = runs.length === filter.limit ? runs.at(-1)?.id : undefined;
  if (last !== undefined) return { runs, next: last };
  const stopped = await toKysely(db)
    .selectFrom("connector_runs")
    .select("id")
    .where((all) => all.and(along.map((condition) => condition(all))))
    .orderBy("id", "desc")
    .limit(1)
    .offset(atOnce - 1)
    .executeTakeFirst();
  return { runs, next: stopped?.id ?? null };
}

type Condition = (runs: Runs) => Expression<SqlBool>;

/**
 * The conditions that an index serves, with the bounds, and those that are checked for each run.
 */
function splitConditions(filter: RunPageFilter): { along: Condition[]; others: Condition[] } {
  const { connectorId, userId, status, source, operationKey, rowsTaggedAmong } = filter;
  const { connectorKey, errorText } = filter;
  const conditions: { isIndexed: boolean; along: Condition[] }[] = [];
  const add = (isIndexed: boolean, ...along: Condition[]) => conditions.push({ isIndexed, along });
  if (connectorId !== undefined) add(true, (runs) => runs("connector_id", "=", connectorId));
  if (status !== undefined) {
    const isRare = status !== "success";
    add(isRare, (runs) => runs("status", "=", status), ...(isRare ? [() => isNotSuccess] : []));
  }
  if (errorText !== undefined) {
    add(true, (runs) => runs("error_code", "is not", null));
    add(false, (runs) => isErrorWith(runs, errorText));
  }
  if (source !== undefined) {
    const isRare = source !== "mcp";
    add(isRare, (runs) => runs("source", "=", source), ...(isRare ? [() => isNotMcp] : []));
  }
  if (userId !== undefined) add(true, (runs) => runs("user_id", "=", userId));
  if (operationKey !== undefined) add(false, (runs) => runs("operation_key", "=", operationKey));
  if (connectorKey !== undefined) add(false, (runs) => isOfConnector(runs, connectorKey));
  if (rowsTaggedAmong !== undefined) add(false, (runs) => isTaggedAmong(runs, rowsTaggedAmong));

  const chosen = conditions.find(({ isIndexed }) => isIndexed);
  const others = conditions.filter((condition) => condition !== chosen);
  return {
    along: [...(chosen?.along ?? []), ...toBounds(filter)],
    others: others.flatMap(({ along }) => along),
  };
}

/** Ids are UUIDs of version 7: they contain the start time of a run and sort by it. */
function toBounds({ before, after, startedFrom, startedBefore }: RunPageFilter): Condition[] {
  return [
    ...(before === undefined ? [] : [(runs: Runs) => runs("id", "<", before)]),
    ...(after === undefined ? [] : [(runs: Runs) => runs("id", ">", after)]),
    ...(startedFrom === undefined
      ? []
      : [(runs: Runs) => runs("id", ">=", toFirstId(startedFrom))]),
    ...(startedBefore === undefined
      ? []
      : [(runs: Runs) => runs("id", "<", toFirstId(startedBefore))]),
  ];
}

function isErrorWith(runs: Runs, text: string): Expression<SqlBool> {
  // Not LIKE: SQLite searches it character by character, which a built text makes slow.
  const contains = (column: "error_msg" | "error_code") =>
    sql<SqlBool>`replace(lower(${sql.ref(column)}), lower(${text}), '') <> lower(${sql.ref(column)})`;
  return runs.or([contains("error_msg"), contains("error_code")]);
}

/** Read for each run: with `in`, PostgreSQL joins and sorts all runs of the scan. */
function isOfConnector(runs: Runs, key: string): Expression<SqlBool> {
  const ofRow = runs
    .selectFrom("connector_rows")
    .select("connector_key")
    .whereRef("connector_rows.id", "=", "connector_runs.connector_id");
  return runs(ofRow, "=", key);
}

function isTaggedAmong(runs: Runs, names: readonly string[]): Expression<SqlBool> {
  // Without a label, the row did not exist for the caller, whatever id was requested.
  const reachedNone = [runs("connector_id", "is", null), runs("row_label", "is", null)];
  const tagged = runs
    .selectFrom("row_tags")
    .innerJoin("tags", "tags.id", "row_tags.tag_id")
    .select("row_tags.row_id")
    .where("tags.name", "in", names);
  return runs.or([...reachedNone, runs("connector_id", "in", tagged)]);
}

function toFirstId(epochMs: number): string {
  const hex = Math.max(0, Math.trunc(epochMs)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}`;
}

/** The same text as in the partial indexes: SQLite uses one only for a matching condition. */
const isNotSuccess = sql<SqlBool>`status <> 'success'`;
const isNotMcp = sql<SqlBool>`source <> 'mcp'`;
