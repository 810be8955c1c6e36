import { type Expression, type SqlBool, sql } from "kysely";
import { type CallBounds, namesTargets } from "../../lib/call-bounds.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFirstId } from "../database/timed-ids.ts";
import { contains } from "../search/contains.ts";
import {
  isInner,
  isNoMessage,
  isNotInner,
  isNotOfOthers,
  isOfConnector,
  isTaggedAmong,
  isWithin,
  type OthersLeftOut,
  type Runs,
} from "./run-conditions.ts";
import type { RunFilter } from "./runs-table.ts";

export type RunScanFilter = Omit<RunFilter, "limit"> & {
  /** Only runs that began at this time or later; epoch ms. */
  startedFrom?: number;
  /** Only runs that began before this time; epoch ms. */
  startedBefore?: number;
  /** Only runs of the present rows of this connector. */
  connectorKey?: string | undefined;
  /** Only runs whose error message or code contains this text. ASCII letters match in both cases. */
  errorText?: string;
  /** Only runs that failed with this code. */
  errorCode?: string;
  /** Only runs that failed. */
  hasError?: true;
  /** Only runs of rows that have one of these tags, and those that reached no row. */
  rowsTaggedAmong?: readonly string[];
  /** Only runs of the rows and operations of these bounds, if they name some. */
  within?: CallBounds;
  /** Without the runs of these operations that other users made. */
  withoutOthers?: OthersLeftOut;
  /** Only the calls that the message or the script with this id made. */
  causeId?: string;
  /** Without the calls that messages and scripts made. */
  withoutInner?: true;
  /** Without messages of several calls, whose calls are runs of their own. */
  withoutMessages?: true;
};

/** Runs that one page or count scans at most. Rare matches are found over several pages. */
export const runsScannedMax = 20_000;
/** Runs in one scan, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 5_000;
/**
 * The same if the scan searches error messages of 4 KiB, built to be searched slowly, or reads a column behind the request
 * and the response, all of which SQLite reads to reach it.
 */
const searchedAtOnce = 500;

/** How many runs to scan at once. */
export function toScanSize({ errorText, withoutInner }: RunScanFilter): number {
  return errorText === undefined && !withoutInner ? scannedAtOnce : searchedAtOnce;
}

/**
 * A connector with a single row is a condition on the row, which an index serves. Null if the connector
 * has no row, or another one than the filter names.
 */
export async function narrowToRow<Filter extends RunScanFilter>(
  db: Db,
  filter: Filter,
): Promise<Filter | null> {
  const { connectorKey, connectorId } = filter;
  if (connectorKey === undefined || isOfOneUser(filter)) return filter;
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
  return { ...filter, connectorKey: undefined, connectorId: row.id };
}

/** The runs that match the filter, among the newest `atOnce` of the condition that an index serves. */
export function selectScan(db: Db, filter: RunScanFilter, atOnce: number) {
  const { along, others } = splitConditions(filter);
  const scanned = toKysely(db)
    .selectFrom("connector_runs")
    .select(tableColumns.connector_runs)
    .where((runs) => runs.and(along.map((condition) => condition(runs))))
    .orderBy("id", "desc")
    .limit(atOnce);
  return toKysely(db)
    .selectFrom(scanned.as("connector_runs"))
    .where((runs) => runs.and(others.map((condition) => condition(runs))));
}

/** Whether each run of a scan matches the filter, so that the last one is where it stops. */
export function isWholeScan(filter: RunScanFilter): boolean {
  return splitConditions(filter).others.length === 0;
}

/** The run at which a scan stops: the `before` of the next one. Null if there is none. */
export async function findScanEnd(
  db: Db,
  filter: RunScanFilter,
  atOnce: number,
): Promise<string | null> {
  const { along } = splitConditions(filter);
  const stopped = await toKysely(db)
    .selectFrom("connector_runs")
    .select("id")
    .where((all) => all.and(along.map((condition) => condition(all))))
    .orderBy("id", "desc")
    .limit(1)
    .offset(atOnce - 1)
    .executeTakeFirst();
  return stopped?.id ?? null;
}

/**
 * Attack: the runs of all users are scanned for those of one, and the place at which the scan stops shows
 * how busy a hidden row is. So only this user's runs are scanned.
 */
function isOfOneUser({ userId, rowsTaggedAmong }: RunScanFilter): boolean {
  return userId !== undefined && rowsTaggedAmong !== undefined;
}

type Condition = (runs: Runs) => Expression<SqlBool>;

/**
 * The conditions that an index serves, with the bounds, and those that are checked for each run.
 */
function splitConditions(filter: RunScanFilter): { along: Condition[]; others: Condition[] } {
  const { connectorId, userId, status, source, operationKey, rowsTaggedAmong } = filter;
  const { connectorKey, errorText, errorCode, hasError, withoutOthers, causeId } = filter;
  const conditions: { isIndexed: boolean; along: Condition[] }[] = [];
  const add = (isIndexed: boolean, ...along: Condition[]) => conditions.push({ isIndexed, along });
  // At most as many runs as one scan reads, so that its end shows nothing of those of others.
  const ofCause = (runs: Runs) => runs.and([runs("cause_id", "=", causeId ?? ""), isInner]);
  const caused = { isIndexed: true, along: [ofCause] };
  if (causeId !== undefined) conditions.push(caused);
  const own = { isIndexed: true, along: [(runs: Runs) => runs("user_id", "=", userId ?? "")] };
  if (connectorId !== undefined) add(true, (runs) => runs("connector_id", "=", connectorId));
  if (status !== undefined) {
    const isRare = status !== "success";
    add(isRare, (runs) => runs("status", "=", status), ...(isRare ? [() => isNotSuccess] : []));
  }
  if (errorText !== undefined || errorCode !== undefined || hasError === true) {
    add(true, (runs) => runs("error_code", "is not", null));
  }
  if (errorCode !== undefined) add(false, (runs) => runs("error_code", "=", errorCode));
  if (errorText !== undefined) add(false, () => contains(["error_msg", "error_code"], errorText));
  if (source !== undefined) {
    const isRare = source !== "mcp";
    add(isRare, (runs) => runs("source", "=", source), ...(isRare ? [() => isNotMcp] : []));
  }
  if (userId !== undefined) conditions.push(own);
  if (operationKey !== undefined) add(false, (runs) => runs("operation_key", "=", operationKey));
  if (connectorKey !== undefined) add(false, (runs) => isOfConnector(runs, connectorKey));
  if (rowsTaggedAmong !== undefined) add(false, (runs) => isTaggedAmong(runs, rowsTaggedAmong));
  const { within } = filter;
  if (within !== undefined && namesTargets(within)) add(false, (runs) => isWithin(runs, within));
  if (withoutOthers !== undefined) add(false, (runs) => isNotOfOthers(runs, withoutOthers));
  if (filter.withoutInner) add(false, () => isNotInner);
  if (filter.withoutMessages) add(false, () => isNoMessage);

  const first = conditions.find(({ isIndexed }) => isIndexed);
  const chosen = isOfOneUser(filter) && causeId === undefined ? own : first;
  const others = conditions.filter((condition) => condition !== chosen);
  return {
    along: [...(chosen?.along ?? []), ...toBounds(filter)],
    others: others.flatMap(({ along }) => along),
  };
}

/** Ids are UUIDs of version 7: they contain the start time of a run and sort by it. */
function toBounds({ before, after, startedFrom, startedBefore }: RunScanFilter): Condition[] {
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

/** The same text as in the partial indexes: SQLite uses one only for a matching condition. */
const isNotSuccess = sql<SqlBool>`status <> 'success'`;
const isNotMcp = sql<SqlBool>`source <> 'mcp'`;
