import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { type RunFilter, type RunRecord, toRunRecord } from "./runs.ts";
import type { Db, Tables } from "./tables.ts";

export type RunPageFilter = RunFilter & {
  /** Only runs that began then or later; epoch ms. */
  startedFrom?: number;
  /** Only runs that began before then; epoch ms. */
  startedBefore?: number;
  /** Only runs of rows that have one of these tags, and those that reached no row. */
  rowsTaggedAmong?: readonly string[];
};

export type RunPage = {
  /** Newest first; fewer than the limit where few of those looked at fit. */
  runs: RunRecord[];
  /** What to give as `before` for the next page; null where there are no more. */
  next: string | null;
};

/** The event loop is held for some milliseconds by so many. */
const scannedAtOnce = 5_000;
const scansMax = 4;
/** How many runs one page looks at: what is rare among many is found over several pages. */
export const scannedMax = scannedAtOnce * scansMax;

type Runs = ExpressionBuilder<Tables, "connector_runs">;

/**
 * One page of runs that stays fast however many there are: it reads along the index of one
 * condition, and gives up looking for the others after `scannedMax` runs, saying where it stopped.
 */
export async function listRunPage(db: Db, filter: RunPageFilter): Promise<RunPage> {
  const runs: RunRecord[] = [];
  let before = filter.before;
  for (let scan = 1; ; scan += 1) {
    const limit = filter.limit - runs.length;
    const part = await scanRuns(db, { ...filter, limit, ...(before !== undefined && { before }) });
    runs.push(...part.runs);
    const isOver = runs.length === filter.limit || part.next === null || scan === scansMax;
    if (isOver) return { runs, next: part.next };
    before = part.next ?? undefined;
    // Lets calls in between two scans.
    await Bun.sleep(0);
  }
}

async function scanRuns(db: Db, filter: RunPageFilter): Promise<RunPage> {
  const { along, others } = splitConditions(filter);
  const scanned = db
    .selectFrom("connector_runs")
    .selectAll()
    .where((runs) => runs.and(along.map((condition) => condition(runs))))
    .orderBy("id", "desc")
    .limit(scannedAtOnce);
  const found = await db
    .selectFrom(scanned.as("connector_runs"))
    .selectAll()
    .where((runs) => runs.and(others.map((condition) => condition(runs))))
    .orderBy("id", "desc")
    .limit(filter.limit)
    .execute();
  const runs = found.map(toRunRecord);
  const last = runs.length === filter.limit ? runs.at(-1)?.id : undefined;
  if (last !== undefined) return { runs, next: last };
  const stopped = await db
    .selectFrom("connector_runs")
    .select("id")
    .where((all) => all.and(along.map((condition) => condition(all))))
    .orderBy("id", "desc")
    .limit(1)
    .offset(scannedAtOnce - 1)
    .executeTakeFirst();
  return { runs, next: stopped?.id ?? null };
}

type Condition = (runs: Runs) => Expression<SqlBool>;

/** The conditions that an index serves, bounds among them, and those that are looked at run by run. */
function splitConditions(filter: RunPageFilter): { along: Condition[]; others: Condition[] } {
  const { connectorId, userId, status, source, operationKey, rowsTaggedAmong } = filter;
  const conditions: { isIndexed: boolean; along: Condition[] }[] = [];
  const add = (isIndexed: boolean, ...along: Condition[]) => conditions.push({ isIndexed, along });
  if (connectorId !== undefined) add(true, (runs) => runs("connector_id", "=", connectorId));
  if (status !== undefined) {
    const isRare = status !== "success";
    add(isRare, (runs) => runs("status", "=", status), ...(isRare ? [() => isNotSuccess] : []));
  }
  if (source !== undefined) {
    const isRare = source !== "mcp";
    add(isRare, (runs) => runs("source", "=", source), ...(isRare ? [() => isNotMcp] : []));
  }
  if (userId !== undefined) add(true, (runs) => runs("user_id", "=", userId));
  if (operationKey !== undefined) add(false, (runs) => runs("operation_key", "=", operationKey));
  if (rowsTaggedAmong !== undefined) add(false, (runs) => isTaggedAmong(runs, rowsTaggedAmong));

  const chosen = conditions.find(({ isIndexed }) => isIndexed);
  const others = conditions.filter((condition) => condition !== chosen);
  return {
    along: [...(chosen?.along ?? []), ...toBounds(filter)],
    others: others.flatMap(({ along }) => along),
  };
}

/** Ids are UUIDs of version 7: they tell when a run began, and sort by it. */
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

function isTaggedAmong(runs: Runs, names: readonly string[]): Expression<SqlBool> {
  // Without a label, the row did not exist for the caller, whatever id they asked for.
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

/** Spelled as in the partial indexes: SQLite uses one only for a query that says the same. */
const isNotSuccess = sql<SqlBool>`status <> 'success'`;
const isNotMcp = sql<SqlBool>`source <> 'mcp'`;
